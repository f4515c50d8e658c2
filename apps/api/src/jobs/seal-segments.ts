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
  type WithLeaves,
} from "../store/segments.ts";
import { isDatabaseDown } from "../store/unavailable.ts";
import { confirmRecords } from "../submission/confirm.ts";
import { type Loop, type Next, startLoop } from "./loop.ts";

const ORGANIZATIONS_PER_ROUND = 200;
/** Sealing keeps the signer from its other work: this many leaves take it about 10 ms. */
const LEAVES_PER_SEGMENT = 1024;

/** Organizations of one family whose segments are made before all other families have had their turn. */
const ORGANIZATIONS_OF_FAMILY = 32;

/**
 * Seals everything that commits have appended. A segment and its leaves are claimed in one statement
 * and signed afterwards. A process that finds a claimed but unsigned segment signs the same text.
 * Returns how many segments were sealed.
 */
export async function sealSegments(host: Host): Promise<number> {
  const sealRound = createRounds(host);
  let sealed = 0;
  for (;;) {
    const round = await sealRound();
    sealed += round.sealed;
    if (!round.hasMore) return sealed;
  }
}

type Round = {
  sealed: number;
  /** Whether others wait for their turn. */
  hasMore: boolean;
  /** Whether some organization appends more than one segment per round. */
  isBehind: boolean;
};

/**
 * Each call is one turn for a limited number of organizations, in the order of their ids. Families take turns: one with
 * thousands of organizations goes on where it was after all others have had a turn.
 */
export function createRounds(host: Host, ofFamily = ORGANIZATIONS_OF_FAMILY): () => Promise<Round> {
  const { store } = host;
  const limit = ORGANIZATIONS_PER_ROUND;
  /** How many of each family had a turn since the first organization had one, and the last of them. */
  let turns = new Map<string, { taken: number; lastId: string }>();
  /** Where a family goes on that did not come to its end. */
  let continued = new Map<string, string>();
  let after: string | null = null;

  /** Returns whether it is the turn of an organization. */
  function takeTurn({ organizationId, familyId }: WithLeaves): boolean {
    const taken = turns.get(familyId)?.taken ?? 0;
    if (taken >= ofFamily) return false;
    turns.set(familyId, { taken: taken + 1, lastId: organizationId });
    return true;
  }

  /** Families that have had all of their turns, each with its last organization. */
  function resting(): Map<string, string> {
    const had = [...turns].filter(([, { taken }]) => taken >= ofFamily);
    return new Map(had.map(([familyId, { lastId }]) => [familyId, lastId]));
  }

  function beginAgain() {
    continued = resting();
    turns = new Map();
    after = null;
  }

  return async () => {
    const sought = { after, resting: resting().keys(), continued, limit };
    const listed = await listOrganizationsWithLeaves(store, sought);
    let isBehind = false;
    for (const each of listed) {
      if (!takeTurn(each)) continue;
      const size = await claimSegment(store, each.organizationId, LEAVES_PER_SEGMENT);
      if (size === LEAVES_PER_SEGMENT) isBehind = true;
    }
    let sealed = 0;
    for (const open of await listOpenSegments(store.db, limit)) {
      if (await sign(host, open)) sealed += 1;
    }
    after = listed.at(-1)?.organizationId ?? null;
    const isEnd = listed.length < limit;
    // A family that went on where it was may have left some before.
    const hasMore = !isEnd || resting().size > 0 || continued.size > 0;
    if (isEnd) beginAgain();
    return { sealed, hasMore, isBehind };
  };
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
  const sealRound = createRounds(host);

  async function round(): Promise<Next> {
    const { hasMore, isBehind } = await sealRound();
    if (isBehind) return "again";
    return hasMore ? "rest" : "idle";
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
