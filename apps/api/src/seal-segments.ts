import { ApiError, fromErrorMessage } from "@keyhearth/engine/errors";
import type { Host } from "./host.ts";
import {
  claimSegment,
  completeSegment,
  findSegmentHead,
  listOpenSegments,
  listOrganizationsWithLeaves,
  listSegmentLeaves,
  type OpenSegment,
} from "./store/segments.ts";

const ORGANIZATIONS_PER_ROUND = 200;
/** Sealing keeps the signer from its other work: about 10 ms for so many. */
export const LEAVES_PER_SEGMENT = 1024;

/**
 * Seals what commits have appended, in the background. A segment is claimed with its leaves in one
 * statement and signed after; whoever finds one claimed and unsigned signs the very same text.
 * Answers how many segments were sealed.
 */
export async function sealSegments(host: Host): Promise<number> {
  return (await sealRound(host)).sealed;
}

async function sealRound(host: Host): Promise<{ sealed: number; isBehind: boolean }> {
  const { db } = host.store;
  let hasFullSegment = false;
  for (const organizationId of await listOrganizationsWithLeaves(db, ORGANIZATIONS_PER_ROUND)) {
    const size = await claimSegment(host.store, organizationId, LEAVES_PER_SEGMENT);
    if (size === LEAVES_PER_SEGMENT) hasFullSegment = true;
  }
  let sealed = 0;
  for (const open of await listOpenSegments(db, ORGANIZATIONS_PER_ROUND)) {
    if (await sign(host, open)) sealed += 1;
  }
  return { sealed, isBehind: hasFullSegment || sealed >= ORGANIZATIONS_PER_ROUND };
}

async function sign(host: Host, open: OpenSegment): Promise<boolean> {
  const { store, log } = host;
  const { organizationId, number, documentVersion, documentDigest } = open;
  const previous =
    number === 1 ? null : await findSegmentHead(store.db, organizationId, number - 1);
  if (previous === undefined) return false;
  const leaves = await listSegmentLeaves(store.db, organizationId, number);
  const answer = await host.askSigner({
    call: "attest",
    organizationId,
    previous,
    leaves: leaves.map(({ hash, tag }) => ({ hash, tag })),
    documentVersion,
    documentDigest,
  });
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

/** Seals every few seconds until it is stopped; `stop` waits for the round under way. */
export function startSealing(host: Host, intervalMs: number): { stop(): Promise<void> } {
  let isStopped = false;
  let round: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    round = round.then(run);
  }, intervalMs);
  timer.unref();

  async function run() {
    if (isStopped) return;
    try {
      while (!isStopped && (await sealRound(host)).isBehind);
    } catch (error) {
      // The leaves stay where they are; the next round takes them.
      const isExpected = error instanceof ApiError && error.code === "UNAVAILABLE";
      host.log[isExpected ? "warn" : "error"]({ err: error }, "sealing will be tried again");
    }
  }
  return {
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await round;
    },
  };
}
