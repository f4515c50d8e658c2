import { activity as activityKind, activityStatement } from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { organization as organizationKind } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import type { Host } from "../host/host.ts";
import { findActivity } from "../store/activities.ts";
import { listOrganizationIds } from "../store/organizations.ts";
import {
  deletePastDocuments,
  listDependents,
  listVersions,
  readPastRecords,
  rebasePastDocument,
  type StoredVersion,
} from "../store/past-documents.ts";
import {
  listOldActivities,
  type OldActivity,
  removeActivities,
} from "../store/removed-activities.ts";

// Deletes what is older than the operator keeps (decision 33), in slices: each is a few milliseconds of the database.

/** Organizations, of which most have nothing to delete. */
const ORGANIZATIONS_PER_ROUND = 50;

/** Of one organization, in one statement, unless the first of them alone has more bytes. */
const ACTIVITIES_PER_ROUND = 100;
const MAX_BYTES = 2 * 1024 * 1024;

const VERSIONS_PER_ROUND = 1000;
const REBASED_PER_ROUND = 16;

/** Everything was looked at a moment ago. An age is in days. */
const CYCLE_MS = 24 * 60 * 60 * 1000;

const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/** What a round of the retention has left: "again" if there is more to look at now. */
export type Retained = "done" | "again";

/** Goes through all organizations, a few in each round, and begins again a day later. */
export function createRetention(host: Host): () => Promise<Retained> {
  const { store, log, now, retention } = host;
  let waiting: string[] = [];
  let last = BEFORE_ALL;
  let afterActivity = BEFORE_ALL;
  let notBefore = Number.NEGATIVE_INFINITY;

  async function visit(organizationId: string, beforeMs: number): Promise<Retained> {
    const { next } = await removeOldActivities(host, organizationId, {
      after: afterActivity,
      beforeMs,
    });
    afterActivity = next ?? BEFORE_ALL;
    if (next !== null) return "again";
    return removeOldDocuments(host, organizationId, beforeMs);
  }

  return async () => {
    if (retention.historyMs === null || now() < notBefore) return "done";
    const startedAtMs = now();
    for (let visited = 0; visited < ORGANIZATIONS_PER_ROUND; visited++) {
      if (waiting.length === 0) {
        waiting = await listOrganizationIds(store.db, { after: last, limit: 1000 });
      }
      const [organizationId] = waiting;
      if (organizationId === undefined) {
        last = BEFORE_ALL;
        notBefore = startedAtMs + CYCLE_MS;
        return "done";
      }
      try {
        const left = await visit(organizationId, startedAtMs - retention.historyMs);
        if (left === "again") return "again";
      } catch (err) {
        // One organization with a damaged record must not keep the others waiting.
        log.warn({ organizationId, err }, "what is old in an organization stays for now");
        afterActivity = BEFORE_ALL;
      }
      last = organizationId;
      waiting.shift();
    }
    return "again";
  };
}

/** Deletes some activities that ended before a time. `next` is the last one that was looked at, null after all of them. */
export async function removeOldActivities(
  { store, log }: Pick<Host, "store" | "log">,
  organizationId: string,
  { after, beforeMs }: { after: string; beforeMs: number },
): Promise<{ removed: number; next: string | null }> {
  const limit = ACTIVITIES_PER_ROUND;
  const listed = await listOldActivities(store, organizationId, { after, beforeMs, limit });
  const looked = fitting(listed);
  const old: Parameters<typeof removeActivities>[2][number][] = [];
  for (const each of looked) {
    const statement = await statementOf({ store, log }, organizationId, each);
    // It began long ago, and waited for votes until lately.
    if (statement === null || endedAtMs(statement) >= beforeMs) continue;
    old.push({ ...each, statement });
  }
  const removed = old.length === 0 ? 0 : await removeActivities(store, organizationId, old);
  const isAll = looked.length === listed.length && listed.length < limit;
  return { removed, next: isAll ? null : (looked.at(-1)?.activityId ?? null) };
}

/** The first of them that have no more bytes together than one statement may delete. */
function fitting(listed: OldActivity[]): OldActivity[] {
  let sum = 0;
  const end = listed.findIndex(({ bytes }, index) => {
    sum += bytes;
    return index > 0 && sum > MAX_BYTES;
  });
  return end < 0 ? listed : listed.slice(0, end);
}

/** What the newest receipt of an activity states. Null if it has changed since it was listed, or cannot be read. */
async function statementOf(
  { store, log }: Pick<Host, "store" | "log">,
  organizationId: string,
  { activityId, version, statement }: OldActivity,
): Promise<string | null> {
  if (statement !== null) return statement;
  const found = await findActivity(store.db, organizationId, activityId);
  if (found?.version !== version) return null;
  try {
    const record = readRecord(found.bytes);
    return activityStatement(organizationId, upcast(activityKind, record), version);
  } catch (err) {
    log.warn({ organizationId, activityId, err }, "an old activity that cannot be read stays");
    return null;
  }
}

function endedAtMs(statement: string): number {
  // `activityStatement` wrote it.
  return Number((JSON.parse(statement) as { timestampMs: string }).timestampMs);
}

/**
 * Deletes some versions of a document that were replaced before a time, and prepares that: a version that stays cannot be
 * the difference from one that goes.
 */
export async function removeOldDocuments(
  { store }: Pick<Host, "store">,
  organizationId: string,
  beforeMs: number,
): Promise<Retained> {
  const versions = await listVersions(store.db, organizationId, VERSIONS_PER_ROUND);
  const firstKept = await findFirstKept({ store }, organizationId, { versions, beforeMs });
  const from = boundaryOf(versions, firstKept);
  if (from === undefined) return "done";
  const dependents = await listDependents(store.db, organizationId, {
    from,
    limit: REBASED_PER_ROUND,
  });
  for (const version of dependents) {
    await rebasePastDocument(store, { organizationId, version }, from);
  }
  if (dependents.length > 0) return "again";
  return (await deletePastDocuments(store, organizationId, from)) > 0 ? "again" : "done";
}

/**
 * The oldest version that is needed: the one that was in force at that time, or an older one with the same users and
 * policies, because votes of its time name that. Undefined if all of them are needed.
 */
async function findFirstKept(
  { store }: Pick<Host, "store">,
  organizationId: string,
  { versions, beforeMs }: { versions: readonly StoredVersion[]; beforeMs: number },
): Promise<number | undefined> {
  // The versions up to the last one that was written before then, found by halves: reading one takes the longest.
  let [low, high] = [0, versions.length];
  let inForce: number | undefined;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { version } = versions[middle] ?? { version: 0 };
    const [read] = await readPastRecords(store.db, organizationId, [version]);
    if (!read) return undefined;
    const document = upcast(organizationKind, readRecord(read.record));
    if (document.updatedAtMs < beforeMs) {
      inForce = document.shownVersion ?? version;
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return inForce;
}

/** Where to cut now: at a version that is stored whole, if there is one, and not after more bytes than one statement may delete. */
function boundaryOf(
  versions: readonly StoredVersion[],
  firstKept: number | undefined,
): number | undefined {
  if (firstKept === undefined) return undefined;
  let sum = 0;
  const possible = versions.filter(({ version, bytes }, index) => {
    const isPossible = index > 0 && version <= firstKept && (index === 1 || sum <= MAX_BYTES);
    sum += bytes;
    return isPossible;
  });
  const last = possible.at(-1);
  return (possible.findLast(({ base }) => base === null) ?? last)?.version;
}
