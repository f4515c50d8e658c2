import type { Host } from "../host/host.ts";
import { longestWindowMs } from "../host/limits.ts";
import { deleteOldCodeSends } from "../store/code-sends.ts";
import { deleteLeftAccounts } from "../store/deleted-wallets.ts";
import { type DenialPlace, deleteOldDenials } from "../store/denials.ts";
import { deleteExpiredLookups } from "../store/lookups.ts";
import { deleteExpiredOtps } from "../store/otps.ts";
import { deleteOldPageFeedback } from "../store/page-feedback.ts";
import {
  leavePastDocument,
  listPastDocuments,
  shrinkPastDocument,
} from "../store/past-documents.ts";
import { deleteFullRequestCounts } from "../store/request-counts.ts";
import { deleteDoneDeliveries } from "../store/webhook-deliveries.ts";
import { type Loop, type Next, startLoop } from "./loop.ts";
import { createRetention } from "./retain.ts";
import { createVacuum } from "./vacuum.ts";

/** How long the login proxy remembers which proofs have logged in. */
const PROOF_MS = 86_400_000;

const VERSIONS_PER_ROUND = 16;

/** After so many versions, which can be large, the embedded database can use their room, whatever else there is of them. */
const VERSIONS_PER_VACUUM = 256;

export type Pruned = {
  pruned: number;
  /** The organization after which the next round begins. */
  last: string | null;
};

/** Stores some replaced versions of documents as differences, of the organizations after this one first. */
export async function pruneSome(
  { store, log }: Host,
  after: string | null = null,
): Promise<Pruned> {
  const found = await listPastDocuments(store.db, { after, limit: VERSIONS_PER_ROUND });
  for (const past of found) {
    try {
      await shrinkPastDocument(store, past);
    } catch (error) {
      // One damaged version must not keep the others waiting.
      log.warn({ ...past, err: error }, "an old version of a document stays as it is");
      await leavePastDocument(store, past);
    }
  }
  return { pruned: found.length, last: found.at(-1)?.organizationId ?? null };
}

/** Keys that expired are found a little longer: the answer says that they expired. */
const EXPIRED_MS = 24 * 60 * 60 * 1000;

/** Of one kind, in one statement. The embedded database serves nobody else meanwhile: 50,000 took it 0.7 s. */
const ROWS_PER_ROUND = 2000;

/** Those that are looked at. */
const DENIALS_PER_ROUND = 1000;

/** Deletes some of what nobody needs. Returns the most rows that there were of one kind. */
async function deleteSome({ store, now, limits, retention }: Host): Promise<number> {
  const most = ROWS_PER_ROUND;
  return Math.max(
    await deleteExpiredLookups(store, now() - EXPIRED_MS, most),
    await deleteDoneDeliveries(store, now() - retention.deliveriesMs, most),
    await deleteExpiredOtps(store, now() - EXPIRED_MS, most),
    await deleteOldCodeSends(store, now() - Math.max(longestWindowMs(limits), PROOF_MS), most),
    await deleteOldPageFeedback(store, now() - retention.feedbackMs, most),
    await deleteFullRequestCounts(store, most),
  );
}

/** Prunes every few seconds until it is stopped. */
export function startPruning(host: Host, everyMs: number): Loop {
  const { store } = host;
  const vacuumSome = createVacuum(host);
  const retainSome = createRetention(host);
  let unvacuumed = 0;
  let lastOrganization: string | null = null;
  let lastDenial: DenialPlace | null = null;

  async function round(): Promise<Next> {
    const { pruned, last } = await pruneSome(host, lastOrganization);
    lastOrganization = last;
    unvacuumed += pruned;
    if (unvacuumed >= VERSIONS_PER_VACUUM && store.kind === "pglite") {
      await store.run("", "VACUUM organization_documents", []);
      unvacuumed = 0;
    }
    await vacuumSome();
    const isLeft = await deleteLeftAccounts(store);
    lastDenial = await deleteOldDenials(store, {
      after: lastDenial,
      nowMs: host.now(),
      limit: DENIALS_PER_ROUND,
    });
    const deleted = await deleteSome(host);
    const retained = await retainSome();
    const isMore =
      pruned === VERSIONS_PER_ROUND || deleted === ROWS_PER_ROUND || isLeft || retained === "again";
    return isMore ? "rest" : "idle";
  }

  return startLoop({
    everyMs,
    firstMs: everyMs,
    round,
    // What was not done waits for the next round.
    logFailure: (err) => host.log.warn({ err }, "pruning will be tried again"),
  });
}
