import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Activity } from "@keyhearth/sdk";
import { InputError } from "./errors.ts";
import { plain } from "./output.ts";

// The data of an organization as a file: one JSON value on each line, so that a program reads it piece by piece, however
// large it is. The first line says what it is, and the last one that it is whole.

export const FORM = "keyhearth.organization.v1";

/** What a line is about. The site's page has the same list. */
export const kinds = [
  "export",
  "organization",
  "user",
  "tag",
  "policy",
  "wallet",
  "wallet-account",
  "private-key",
  "smart-contract-interface",
  "oauth2-credential",
  "webhook-endpoint",
  "activity",
  "receipts",
  "end",
] as const;

export type Kind = (typeof kinds)[number];

export type Line = {
  readonly kind: Kind;
  readonly organizationId?: string;
  readonly data: unknown;
};

export type Lines = {
  add(line: Line): string;
  counts(): Partial<Record<Kind, number>>;
  end(): { text: string; sha256: string };
};

/** Makes the lines of a file, and the last one from the digest of the others. */
export function createLines(): Lines & {
  /** Goes on behind a line that is there already. */
  have(kind: Kind, text: string): void;
  /** The same lines, which others can follow. */
  copy(): ReturnType<typeof createLines>;
} {
  return linesFrom(createHash("sha256"), new Map(), 0);
}

function linesFrom(
  hash: Hash,
  counts: Map<Kind, number>,
  before: number,
): ReturnType<typeof createLines> {
  let lines = before;

  function have(kind: Kind, text: string) {
    hash.update(text);
    lines += 1;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }

  return {
    have,
    add(line) {
      const text = `${JSON.stringify(line)}\n`;
      have(line.kind, text);
      return text;
    },
    copy: () => linesFrom(hash.copy(), new Map(counts), lines),
    counts: () => Object.fromEntries(counts) as Partial<Record<Kind, number>>,
    end() {
      const sha256 = hash.copy().digest("hex");
      const text = `${JSON.stringify({ kind: "end", data: { lines, sha256 } })}\n`;
      return { text, sha256: hash.update(text).digest("hex") };
    },
  };
}

/**
 * What has a result that somebody could use: a session, a token, or a key for whoever asked for it. The signer's
 * declarations have the same list.
 */
const HAS_SECRET_RESULT =
  /^ACTIVITY_TYPE_(CREATE_READ_ONLY_SESSION|STAMP_LOGIN|OTP_LOGIN|OAUTH_LOGIN|OAUTH2_AUTHENTICATE|VERIFY_OTP|EXPORT_(WALLET|WALLET_ACCOUNT|PRIVATE_KEY))(_V\d+)?$/;

/** Whether an export leaves the result of such an activity out. A part of it could not be compared with its receipt. */
export function hasSecretResult(type: string): boolean {
  return HAS_SECRET_RESULT.test(type);
}

/**
 * An activity as a file has it: without what could be used, and without the intent, which is what the service reads in the
 * request. The request itself is in the first vote, and has a stamp.
 */
export function asExported({ intent: _, ...activity }: Activity): Omit<Activity, "intent"> {
  return hasSecretResult(activity.type) ? { ...activity, result: {} } : activity;
}

/** More than any line of an export has. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** A line of a file as it was read, and the digest of all lines before it. */
export type ReadLine = { readonly number: number; readonly value: unknown; digestBefore(): string };

/** Reads the lines of a file, one at a time. Throws an `InputError` that names the line that is not JSON. */
export async function* readLines(file: string): AsyncGenerator<ReadLine> {
  const hash = createHash("sha256");
  let number = 0;
  for await (const bytes of splitLines(file)) {
    number += 1;
    const before = hash.copy();
    hash.update(bytes).update("\n");
    yield {
      number,
      value: parseLine(file, number, bytes),
      digestBefore: () => before.digest("hex"),
    };
  }
}

/** Each line without its end. The last one may have had none. */
export async function* splitLines(file: string): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of createReadStream(file)) {
      let rest = chunk as Buffer;
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        yield Buffer.concat([...parts, rest.subarray(0, end)]);
        [parts, length] = [[], 0];
        rest = rest.subarray(end + 1);
      }
      parts.push(rest);
      length += rest.length;
      if (length > MAX_LINE_BYTES)
        throw new InputError(`${plain(file)} has a line that is too long`);
    }
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new InputError(`cannot read ${plain(file)} (${code})`, {}, { cause });
  }
  if (length > 0) yield Buffer.concat(parts);
}

export function parseLine(file: string, number: number, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new InputError(
      `line ${number} of ${plain(file)} is not JSON: give a file of \`keyhearth organizations export\``,
    );
  }
}
