import type { Answer, Request } from "@keyhearth/engine/core/protocol";
import { ApiError, fromErrorMessage, toErrorMessage } from "@keyhearth/engine/errors";
import type { Host } from "../host/host.ts";
import { isCrowded } from "../signer/crowded.ts";
import { findDocument } from "../store/organizations.ts";
import {
  claimSegment,
  completeSegment,
  findSignedSegment,
  listOpenSegments,
  listOrganizationsWithLeaves,
  listSegmentLeaves,
  type OpenSegment,
} from "../store/segments.ts";
import { isDatabaseDown } from "../store/unavailable.ts";
import { confirmRecords } from "../submission/confirm.ts";
import { type Loop, type Next, startLoop } from "./loop.ts";

const ORGANIZATIONS_PER_ROUND = 200;
/** Sealing keeps the signer from its other work: this many leaves take it about 10 ms. */
const LEAVES_PER_SEGMENT = 1024;

/**
 * Seals everything that commits have appended. A segment and its leaves are claimed in one statement
 * and signed afterwards. A process that finds a claimed but unsigned segment signs the same text.
 * Returns how many segments were sealed.
 */
export async function sealSegments(host: Host): Promise<number> {
  let sealed = 0;
  let after: string | null = null;
  do {
    const round: Round = await sealRound(host, after);
    sealed += round.sealed;
    after = round.last;
  } while (after !== null);
  return sealed;
}

type Round = {
  sealed: number;
  /** The last organization of this round; null when all have had their turn. */
  last: string | null;
  /** Whether some organization appends more than one segment per round. */
  isBehind: boolean;
};

/** One turn for a limited number of organizations, in the order of their ids. */
async function sealRound(host: Host, after: string | null): Promise<Round> {
  const { db } = host.store;
  const organizationIds = await listOrganizationsWithLeaves(db, after, ORGANIZATIONS_PER_ROUND);
  let isBehind = false;
  for (const organizationId of organizationIds) {
    const size = await claimSegment(host.store, organizationId, LEAVES_PER_SEGMENT);
    if (size === LEAVES_PER_SEGMENT) isBehind = true;
  }
  let sealed = 0;
  for (const open of await listOpenSegments(db, ORGANIZATIONS_PER_ROUND)) {
    if (await sign(host, open)) sealed += 1;
  }
  const isFull = organizationIds.length === ORGANIZATIONS_PER_ROUND;
  return { sealed, last: isFull ? (organizationIds.at(-1) ?? null) : null, isBehind };
}

async function sign(host: Host, open: OpenSegment): Promise<boolean> {
  const { store, log } = host;
  const { organizationId, number, documentVersion, documentDigest } = open;
  const previous =
    number === 1 ? null : await findSignedSegment(store.db, organizationId, number - 1);
  if (previous === undefined) return false;
  const leaves = await listSegmentLeaves(store.db, organizationId, number);
  // Another process may have sealed it, and the next one too, while this one sealed those before it in the list.
  if (await findSignedSegment(store.db, organizationId, number)) return false;
  const answer = await attest(host, {
    call: "attest",
    organizationId,
    previous,
    leaves: leaves.map(({ hash, tag }) => ({ hash, tag })),
    documentVersion,
    documentDigest,
  });
  if (isCrowded(answer)) {
    // A later round finds the segment.
    log.warn({ organizationId, number }, "the signer seals a segment later");
    return false;
  }
  if (answer.kind === "error") {
    const { reason, message } = fromErrorMessage(answer.error);
    log.error({ organizationId, number, reason, message }, "a segment was not sealed");
    return false;
  }
  if (answer.kind !== "segment") throw new Error(`unexpected answer: ${answer.kind}`);
  const { digest, segment } = answer;
  await completeSegment(store, { organizationId, number, digest, ...segment });
  return true;
}

/** Asks for a segment. If the signer does not know that its document was committed, tells it. */
async function attest(host: Host, request: Extract<Request, { call: "attest" }>): Promise<Answer> {
  const answer = await host.askSigner(request);
  if (answer.kind !== "unconfirmed") return answer;
  const { organizationId } = request;
  const current = await findDocument(host.store.db, organizationId);
  if (!current) throw new Error(`no document of organization ${organizationId}`);
  const { error } = await confirmRecords(host, organizationId, [current.bytes]);
  // If another process has confirmed a later one since, the signer refused this one and knows enough.
  const again = await host.askSigner(request);
  return again.kind === "unconfirmed" && error
    ? { kind: "error", error: toErrorMessage(error) }
    : again;
}

/**
 * Seals every few seconds until it is stopped. With many organizations, it rests after each round, except while one
 * appends more than a round seals.
 */
export function startSealing(host: Host, everyMs: number): Loop {
  let after: string | null = null;

  async function round(): Promise<Next> {
    const { last, isBehind } = await sealRound(host, after);
    after = last;
    if (isBehind) return "again";
    return last === null ? "idle" : "rest";
  }

  return startLoop({
    everyMs,
    firstMs: everyMs,
    round,
    logFailure(err) {
      // The leaves stay in place for the next round.
      const isPassing = err instanceof ApiError && err.code === "UNAVAILABLE";
      const level = isPassing || isDatabaseDown(err) ? "warn" : "error";
      host.log[level]({ err }, "sealing will be tried again");
    },
  });
}
