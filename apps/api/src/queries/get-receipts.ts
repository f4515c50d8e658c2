import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { inclusionProofs } from "@keyhearth/crypto/receipts/merkle-proofs";
import type { ReceiptEntry } from "@keyhearth/crypto/receipts/receipts-file";
import { invalid, notFound } from "@keyhearth/engine/errors";
import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import { activity as activityKind, activityStatement } from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import * as z from "zod";
import { ReceiptsFile } from "../presentation/receipts-file.ts";
import { defineQuery } from "../query/define.ts";
import { findActivity, hadActivity } from "../store/activities.ts";
import type { Db } from "../store/connect.ts";
import {
  countUnsealed,
  keepStatement,
  listReceiptLeaves,
  listSegmentsAfter,
  listSegmentsOfActivity,
  type ReceiptLeaf,
} from "../store/receipts.ts";
import { ActivityId } from "../wire/objects.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
/** A page ends with the segment that reaches this many receipts. */
const RECEIPTS_PER_PAGE = 4096;

const decimal = (least: number, text: string) =>
  z
    .string()
    .regex(/^(0|[1-9]\d{0,14})$/, "must be a decimal string")
    .refine((value) => Number(value) >= least, `must be at least "${least}"`)
    .describe(text);

/** Receipts, as a file that anyone can verify with the quorum public key. */
export const getReceipts = defineQuery({
  name: "get_receipts",
  tag: "Activities",
  summary: "Get receipts",
  description:
    "Get receipts of one activity, or a page of the organization's log: segments in order, each with all of its receipts. The answer can be verified offline with the quorum public key.",
  requestName: "GetReceiptsRequest",
  responseName: "GetReceiptsResponse",
  request: z.object({
    organizationId: OrganizationId,
    activityId: ActivityId.describe(
      "If given, only receipts of this activity, with the segments that hold them.",
    ).optional(),
    afterSegment: decimal(
      0,
      "Number of the last segment that you already have, as a decimal string. Default `0`.",
    )
      .meta({ format: "uint64", examples: ["120"] })
      .optional(),
    limit: decimal(
      1,
      `Maximum number of segments in the answer, as a decimal string up to \`${MAX_LIMIT}\`. Default \`${DEFAULT_LIMIT}\`. Large segments make the page shorter.`,
    )
      .meta({ format: "uint64", examples: ["10"] })
      .optional(),
  }),
  response: z.object({
    receiptsFile: ReceiptsFile,
    hasMore: z.boolean().describe("Whether more segments follow."),
    unsealed: z
      .int()
      .meta({ format: "int64", examples: [0] })
      .describe(
        "How many statements of the activity, or of the organization, are not in a segment yet.",
      ),
  }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    afterSegment: "120",
    limit: "10",
  },

  isHeavy: () => true,
  maxBytes: 8 * 1024 * 1024,
  async answer({ db, organizationId, receiptKey }, { activityId, afterSegment, limit }) {
    const page =
      activityId === undefined
        ? await readPage(db, organizationId, Number(afterSegment ?? 0), parseLimit(limit))
        : await readActivity(db, organizationId, activityId, { afterSegment, limit });
    const { segments, receipts, hasMore } = page;
    return {
      receiptsFile: {
        version: "keyhearth.receipts.v1" as const,
        organizationId,
        receiptKey: await receiptKey(),
        segments,
        receipts,
      },
      hasMore,
      unsealed: await countUnsealed(db, organizationId, activityId),
    };
  },
});

type Page = {
  segments: { payload: string; signature: string }[];
  receipts: ReceiptEntry[];
  hasMore: boolean;
};

async function readPage(
  db: Db,
  organizationId: string,
  after: number,
  limit: number,
): Promise<Page> {
  const found = await listSegmentsAfter(db, organizationId, after, limit + 1);
  if (found.length === 0 && after > 0) await assertSegment(db, organizationId, after);
  const page: Page = { segments: [], receipts: [], hasMore: false };
  for (const { number, payload, signature } of found) {
    if (page.segments.length === limit || page.receipts.length >= RECEIPTS_PER_PAGE) {
      return { ...page, hasMore: true };
    }
    page.segments.push({ payload, signature });
    const leaves = await listReceiptLeaves(db, organizationId, number);
    page.receipts.push(...(await receiptsOf(db, organizationId, leaves)));
  }
  return page;
}

/** The segments of an organization are numbered without gaps. */
async function assertSegment(db: Db, organizationId: string, number: number) {
  const [found] = await listSegmentsAfter(db, organizationId, number - 1, 1);
  if (found) return;
  throw invalid(
    "afterSegment",
    `\`afterSegment\` must be the number of a segment, or "0": this organization has no segment \`${number}\``,
  );
}

async function readActivity(
  db: Db,
  organizationId: string,
  activityId: string,
  { afterSegment, limit }: { afterSegment?: string | undefined; limit?: string | undefined },
): Promise<Page> {
  for (const [field, value] of Object.entries({ afterSegment, limit })) {
    if (value !== undefined) {
      throw invalid(field, `\`${field}\` cannot be combined with \`activityId\``);
    }
  }
  if (!(await hadActivity(db, organizationId, activityId))) {
    throw notFound("activityId", "activity", activityId);
  }
  const page: Page = { segments: [], receipts: [], hasMore: false };
  const found = await listSegmentsOfActivity(db, organizationId, activityId);
  for (const { number, payload, signature } of found) {
    const leaves = await listReceiptLeaves(db, organizationId, number, { activityId });
    page.segments.push({ payload, signature });
    const receipts = await receiptsOf(db, organizationId, leaves);
    page.receipts.push(...receipts.filter((_, i) => leaves[i]?.activityId === activityId));
  }
  return page;
}

function parseLimit(text: string | undefined): number {
  const limit = Number(text ?? DEFAULT_LIMIT);
  if (limit <= MAX_LIMIT) return limit;
  throw invalid("limit", `\`limit\` must be a string from "1" to "${MAX_LIMIT}"`);
}

async function receiptsOf(
  db: Db,
  organizationId: string,
  leaves: ReceiptLeaf[],
): Promise<ReceiptEntry[]> {
  const paths = inclusionProofs(leaves.map(({ hash }) => decodeHex(hash)));
  const receipts: ReceiptEntry[] = [];
  for (const [i, leaf] of leaves.entries()) {
    const path = (paths[i] ?? []).map(encodeHex);
    const place = { segment: leaf.number, index: leaf.position, path };
    const statement = leaf.isLarge
      ? await makeStatement(db, organizationId, leaf)
      : statementOf(organizationId, leaf);
    receipts.push(statement === null ? { leafHash: leaf.hash, ...place } : { statement, ...place });
  }
  return receipts;
}

/** Large records are read one at a time, and once: the next answer has the statement. */
async function makeStatement(
  db: Db,
  organizationId: string,
  leaf: ReceiptLeaf,
): Promise<string | null> {
  const found = await findActivity(db, organizationId, leaf.activityId);
  const statement = statementOf(organizationId, { ...leaf, record: found?.bytes ?? null });
  if (statement !== null) await keepStatement(db, organizationId, leaf, statement);
  return statement;
}

/**
 * The text that the leaf hashes, if the record still has that version. It is not compared with the
 * hash, so that a verifier of the receipt can see that a record was tampered with.
 */
function statementOf(
  organizationId: string,
  { version, record: bytes, statement }: ReceiptLeaf,
): string | null {
  if (statement !== null) return statement;
  if (bytes === null) return null;
  const record = readRecord(bytes);
  if (record.header.version !== version) return null;
  return activityStatement(organizationId, upcast(activityKind, record), version);
}
