import { open } from "node:fs/promises";
import type { ReceiptsFile } from "@keyhearth/sdk";
import { InputError } from "./errors.ts";
import { createLines, FORM, type Kind, kinds, parseLine, splitLines } from "./organization-file.ts";
import { plain } from "./output.ts";
import { lastNumberOf } from "./receipts.ts";

// An export that was cut off: how far it came, so that the next run asks only for what is missing.

/** What an export is of. */
export type Wanted = { readonly organizationId: string; readonly withSubOrganizations: boolean };

/** The page of receipts that was written last. */
export type ReceiptsSoFar = {
  readonly after: number;
  /** The digest of the last segment, if receipts are verified. */
  readonly from: string | null;
  readonly receipts: number;
  readonly unsealed: number;
};

/** How far an organization is whose records are there. */
export type SoFar = {
  readonly organizationId: string;
  /** The last account that is there. */
  readonly account: string | undefined;
  /** The oldest activity that is there, and how many are. */
  readonly activity: string | undefined;
  readonly activities: number;
  readonly receipts: ReceiptsSoFar | undefined;
};

export type Part = {
  /** Where the next line goes. What follows is left out. */
  readonly size: number;
  readonly lines: ReturnType<typeof createLines>;
  readonly whole: ReadonlySet<string>;
  readonly underWay: SoFar | null;
};

type Verify = (
  file: ReceiptsFile,
  place: { organizationId: string; from: string | null },
) => string | null;

/** Reads what is there, and verifies its receipts again. Null if it is so little that an export begins. */
export async function readPart(path: string, wanted: Wanted, verify: Verify): Promise<Part | null> {
  const damaged = (number: number) =>
    new InputError(
      `line ${number} of ${plain(path)} is not one of an export: remove the file, and the export begins again`,
    );
  const lines = createLines();
  const whole = new Set<string>();
  let [size, number] = [0, 0];
  let underWay: SoFar | null = null;
  /** Before the organization of which not all records may be there. */
  let before: { size: number; lines: ReturnType<typeof createLines> } | null = null;

  for await (const { bytes, isWhole } of linesOf(path)) {
    number += 1;
    // The last line may have been cut.
    if (!isWhole) break;
    const text = `${bytes.toString("utf8")}\n`;
    const { kind, organizationId, data } = readLine(parseLine(path, number, bytes));
    if (kind === "end") break;
    if (number === 1) assertSame(path, { kind, organizationId, data }, wanted);
    else if (kind === "organization") {
      if (underWay !== null || whole.has(organizationId)) throw damaged(number);
      before = { size, lines: lines.copy() };
      underWay = { ...NOTHING, organizationId };
    } else {
      if (underWay?.organizationId !== organizationId) throw damaged(number);
      underWay = withLine(underWay, { kind, data }, verify);
      if (underWay === null) whole.add(organizationId);
      if (underWay === null || HAS_ALL_RECORDS.includes(kind)) before = null;
    }
    lines.have(kind, text);
    size += bytes.length + 1;
  }
  if (number === 0 || size === 0) return null;
  if (before !== null) return { ...before, whole, underWay: null };
  return { size, lines, whole, underWay };

  function readLine(value: unknown): { kind: Kind; organizationId: string; data: object } {
    const { kind, organizationId, data } = Object(value);
    const isOfExport =
      kinds.includes(kind) &&
      typeof data === "object" &&
      data !== null &&
      (kind === "end" || typeof organizationId === "string");
    if (!isOfExport) throw damaged(number);
    return { kind, organizationId, data };
  }
}

export const NOTHING = {
  account: undefined,
  activity: undefined,
  activities: 0,
  receipts: undefined,
};

/** The kinds of lines behind which no record is missing. Those before come from answers that are not asked for in parts. */
const HAS_ALL_RECORDS: readonly Kind[] = ["wallet-account", "activity", "receipts"];

/** Null if it was the last line of the organization: a page of receipts with nothing new. */
function withLine(
  soFar: SoFar,
  { kind, data }: { kind: Kind; data: object },
  verify: Verify,
): SoFar | null {
  const { walletAccountId, id, receiptsFile, unsealed } = Object(data);
  switch (kind) {
    case "wallet-account":
      return { ...soFar, account: String(walletAccountId) };
    case "activity":
      return { ...soFar, activity: String(id), activities: soFar.activities + 1 };
    case "receipts": {
      const file: ReceiptsFile = receiptsFile;
      if (file.segments.length === 0) return null;
      const { organizationId } = soFar;
      const from = verify(file, { organizationId, from: soFar.receipts?.from ?? null });
      const receipts = (soFar.receipts?.receipts ?? 0) + file.receipts.length;
      const after = lastNumberOf(file.segments);
      return { ...soFar, receipts: { after, from, receipts, unsealed: Number(unsealed) } };
    }
    default:
      return soFar;
  }
}

function assertSame(
  path: string,
  { kind, organizationId, data }: { kind: Kind; organizationId: string; data: object },
  wanted: Wanted,
) {
  const { version, withSubOrganizations } = Object(data);
  const again = "finish that one first, or remove the file";
  if (kind !== "export" || version !== FORM) {
    throw new InputError(`${plain(path)} is no export of this form: remove the file`);
  }
  if (organizationId !== wanted.organizationId) {
    throw new InputError(
      `${plain(path)} is a part of an export of organization ${plain(organizationId)}: ${again}`,
    );
  }
  if (withSubOrganizations !== wanted.withSubOrganizations) {
    const how = withSubOrganizations === true ? "with" : "without";
    throw new InputError(
      `${plain(path)} is a part of an export ${how} --sub-organizations: ${again}`,
    );
  }
}

async function endsWithLine(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    return buffer[0] === 10;
  } finally {
    await file.close();
  }
}

/** Each line, and whether its end is there too. */
async function* linesOf(path: string): AsyncGenerator<{ bytes: Buffer; isWhole: boolean }> {
  let last: Buffer | null = null;
  for await (const bytes of splitLines(path)) {
    if (last !== null) yield { bytes: last, isWhole: true };
    last = bytes;
  }
  if (last !== null) yield { bytes: last, isWhole: await endsWithLine(path) };
}
