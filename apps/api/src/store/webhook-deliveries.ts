import type { ExpressionBuilder } from "kysely";
import type { Db, Store } from "./connect.ts";
import { chargeStorage, ROW_BYTES } from "./family-storage.ts";
import type { Database, DeliveryState } from "./schema.ts";
import { rangeOf, readInWindows, WINDOW_ROWS } from "./windows.ts";

/** One event for one endpoint. */
export type Delivery = {
  deliveryId: string;
  endpointId: string;
  activityId: string;
  eventType: string;
  state: DeliveryState;
  attempts: number;
  lastStatusCode: number | null;
  lastError: string | null;
  /** While it is held, when its endpoint is tried again. */
  nextAttemptAtMs: number;
  isHeld: boolean;
  createdAtMs: number;
};

/** A delivery that this process tries now. */
export type Claimed = {
  deliveryId: string;
  endpointId: string;
  organizationId: string;
  activityId: string;
  eventType: string;
  attempts: number;
  /** Until then, no other process tries it. */
  claimedUntilMs: number;
  /** About the size of the event. 0 if that was not noted. */
  bytes: number;
  /** Those of its endpoint, if it is paused and tried again with this delivery. Otherwise 0. */
  failures: number;
  /** The activity's record. Null if it was lost. */
  record: Uint8Array | null;
};

/** Where an endpoint's events go. The organization is the one that has the endpoint. */
export type Target = { url: string; organizationId: string; familyId: string };

/**
 * An endpoint for which something small is due. Without a target, nothing may be sent to it. If it is paused, what is
 * awake is to be held.
 */
export type DueEndpoint = { endpointId: string; target: Target | null; isPaused: boolean };

export const FIRST = "00000000-0000-0000-0000-000000000000";
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** An event of about this size is large. */
export const LARGE_BYTES = 64 * 1024;

/**
 * An endpoint is paused when so many different deliveries have failed in a row. One gets as many at once, and an event
 * that its receiver cannot handle is one of them, however often it is tried.
 */
export const PAUSED_AFTER = 8;
export const IS_PAUSED = `failures >= ${PAUSED_AFTER}`;

/** What is held is given up after this time, which is about as long as one delivery is tried. */
const HELD_MS = 7 * 60 * 60 * 1000;

/** Until when a delivery of a paused endpoint is held. */
export const HELD_UNTIL_MS = `coalesce(resent_at_ms, created_at_ms) + ${HELD_MS}`;

/** As indexes know them. What rests is not looked at before it is due. */
export const IS_AWAKE = "state = 'waiting' AND NOT rests";
export const IS_HELD = "state = 'waiting' AND held";
export const IS_AWAKE_AND_LARGE = `${IS_AWAKE} AND bytes >= ${LARGE_BYTES}`;
const IS_AWAKE_AND_SMALL = `${IS_AWAKE} AND bytes < ${LARGE_BYTES}`;

/**
 * No earlier event of its activity still waits, so that a receiver sees them in order. As a join, a database without
 * statistics would look at all that waits for the endpoint.
 */
export const IS_NEXT = `(SELECT earlier.activity_version FROM webhook_deliveries earlier
  WHERE earlier.endpoint_id = d.endpoint_id AND earlier.activity_id = d.activity_id
    AND earlier.state = 'waiting' AND earlier.activity_version < d.activity_version LIMIT 1) IS NULL`;

/** How many have not ended, up to a bound: more are read by nobody, and counting them takes long. */
export async function countWaiting(store: Store): Promise<number> {
  const [row] = await store.run(
    "count-waiting-deliveries",
    `SELECT count(*) AS waiting FROM
       (SELECT 1 FROM webhook_deliveries WHERE state = 'waiting' LIMIT 10000) AS some`,
    [],
  );
  return Number(row?.waiting ?? 0);
}

/** Wakes deliveries that are due, those first that have been so for longest. Says how many. */
export async function wakeDeliveries(store: Store, nowMs: number, limit: number): Promise<number> {
  const rows = await store.run(
    "wake-deliveries",
    `UPDATE webhook_deliveries SET rests = false WHERE delivery_id IN (
       SELECT delivery_id FROM webhook_deliveries
       WHERE state = 'waiting' AND rests AND NOT held AND next_attempt_at_ms <= $1::bigint
       ORDER BY next_attempt_at_ms LIMIT $2::bigint FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    [nowMs, limit],
  );
  return rows.length;
}

/** The endpoints after this one with something small due, whatever number of deliveries each has. */
export async function listDueEndpoints(
  store: Store,
  { after, nowMs, limit }: { after: string | null; nowMs: number; limit: number },
): Promise<DueEndpoint[]> {
  const rows = await store.run(
    "list-due-endpoints",
    `WITH RECURSIVE e AS (
       (SELECT endpoint_id FROM webhook_deliveries
        WHERE ${IS_AWAKE} AND endpoint_id > $1::uuid ORDER BY endpoint_id LIMIT 1)
       UNION ALL
       SELECT (SELECT d.endpoint_id FROM webhook_deliveries d
        WHERE ${IS_AWAKE} AND d.endpoint_id > e.endpoint_id ORDER BY d.endpoint_id LIMIT 1)
       FROM e WHERE e.endpoint_id IS NOT NULL)
     SELECT e.endpoint_id, w.url, w.organization_id, w.family_id, w.is_paused FROM e
     LEFT JOIN LATERAL (SELECT url, organization_id, family_id, ${IS_PAUSED} AS is_paused
       FROM webhook_targets WHERE webhook_targets.endpoint_id = e.endpoint_id LIMIT 1) w ON true
     WHERE e.endpoint_id IS NOT NULL AND (w.url IS NULL OR w.is_paused OR EXISTS (SELECT 1 FROM webhook_deliveries d
       WHERE d.endpoint_id = e.endpoint_id AND ${IS_AWAKE_AND_SMALL}
         AND d.next_attempt_at_ms <= $2::bigint))
     LIMIT $3::bigint`,
    [after ?? FIRST, nowMs, limit],
  );
  return rows.map((row) => ({
    endpointId: String(row.endpoint_id),
    target: row.url === null ? null : toTarget(row),
    isPaused: row.is_paused === true,
  }));
}

export function toTarget({ url, organization_id, family_id }: Record<string, unknown>): Target {
  return {
    url: String(url),
    organizationId: String(organization_id),
    familyId: String(family_id),
  };
}

/**
 * The records of one claim, except for the first one. All of them are read by one statement and signed by one
 * call, and meanwhile nobody else has the embedded database or the signer.
 */
const MAX_CLAIMED_BYTES = 256 * 1024;

const CLAIMED_COLUMNS = `c.delivery_id, c.endpoint_id, c.organization_id, c.activity_id, c.event_type, c.attempts,
       c.next_attempt_at_ms, c.bytes, c.activity_version`;

/** Of a delivery `c` that is claimed, what `toClaimed` reads. */
const CLAIMED = `${CLAIMED_COLUMNS},
       coalesce(c.record, (SELECT a.record FROM activities a
         WHERE a.organization_id = c.organization_id AND a.activity_id = c.activity_id
           AND a.version = c.activity_version), (SELECT p.record FROM past_activities p
         WHERE p.organization_id = c.organization_id AND p.activity_id = c.activity_id
           AND p.version = c.activity_version)) AS record`;

/** The same where the records are on other nodes. `readClaimed` reads them afterwards. */
const CLAIMED_ALONE = `${CLAIMED_COLUMNS}, c.record`;

export function claimedColumns({ isDistributed }: Pick<Store, "isDistributed">): string {
  return isDistributed ? CLAIMED_ALONE : CLAIMED;
}

/** What was claimed, with its records. */
export async function readClaimed(
  { isDistributed, run }: Pick<Store, "isDistributed" | "run">,
  rows: Record<string, unknown>[],
): Promise<Claimed[]> {
  const without = isDistributed ? rows.filter(({ record }) => record === null) : [];
  if (without.length === 0) return rows.map(toClaimed);
  const found = await run(
    "read-claimed",
    `SELECT a.activity_id, a.version, a.record FROM activities a
       JOIN unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS t(organization_id, activity_id, version)
       USING (organization_id, activity_id, version)
     UNION ALL SELECT p.activity_id, p.version, p.record FROM past_activities p
       JOIN unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS t(organization_id, activity_id, version)
       USING (organization_id, activity_id, version)`,
    [
      without.map(({ organization_id }) => organization_id),
      without.map(({ activity_id }) => activity_id),
      without.map(({ activity_version }) => activity_version),
    ],
  );
  const placeOf = (activityId: unknown, version: unknown) => `${activityId} ${version}`;
  const records = new Map(
    found.map(({ activity_id, version, record }) => [placeOf(activity_id, version), record]),
  );
  return rows.map((row) =>
    toClaimed({
      ...row,
      record: row.record ?? records.get(placeOf(row.activity_id, row.activity_version)),
    }),
  );
}

/** The size of a delivery `d` from before sizes were noted, from where its record is. */
const OLD_BYTES = `octet_length(d.record), (SELECT octet_length(a.record) FROM activities a
           WHERE a.organization_id = d.organization_id AND a.activity_id = d.activity_id
             AND a.version = d.activity_version), (SELECT octet_length(p.record) FROM past_activities p
           WHERE p.organization_id = d.organization_id AND p.activity_id = d.activity_id
             AND p.version = d.activity_version)`;

/** What may be taken of an endpoint now, past large ones that rest. */
const IS_DUE = `d.endpoint_id = $1::uuid AND ${IS_AWAKE_AND_SMALL}
  AND d.next_attempt_at_ms <= $2::bigint AND ${IS_NEXT}`;

/**
 * Takes small deliveries of an endpoint that are due, in turns by the organization that caused them, so that one with very
 * many holds up nobody else's. The first turn is of the organization after this one. They are in the order of turns, so
 * the next claim goes on after the last one's organization.
 */
export async function claimDeliveries(
  store: Store,
  {
    endpointId,
    after,
    nowMs,
    untilMs,
    limit,
  }: {
    endpointId: string;
    after: string | null;
    nowMs: number;
    untilMs: number;
    limit: number;
  },
): Promise<Claimed[]> {
  // Those after the last one and those up to it are found together, each by one step through the index. Of each no more
  // is looked at than could be taken. Planning one subquery for each way would take longer than the claim.
  const rows = await store.run(
    "claim-deliveries",
    `WITH RECURSIVE found AS (
       SELECT 0 AS place, ways.* FROM (VALUES (false, $5::uuid, '${LAST}'::uuid), (true, '${FIRST}', $5::uuid))
         AS ways (is_earlier, organization_id, until)
       UNION ALL
       SELECT place + 1, is_earlier, (SELECT d.organization_id FROM webhook_deliveries d
         WHERE ${IS_DUE} AND d.organization_id > found.organization_id AND d.organization_id <= found.until
         ORDER BY d.organization_id LIMIT 1), until
       FROM found WHERE organization_id IS NOT NULL AND place < $4::bigint),
     causers AS MATERIALIZED (
       SELECT organization_id, row_number() OVER (ORDER BY is_earlier, organization_id) AS turn
       FROM found WHERE place > 0 AND organization_id IS NOT NULL ORDER BY turn LIMIT $4::bigint),
     due AS MATERIALIZED (
       SELECT causers.turn, one.* FROM causers CROSS JOIN LATERAL (
       SELECT d.delivery_id, d.next_attempt_at_ms,
         coalesce(nullif(d.bytes, 0), ${store.isDistributed ? "octet_length(d.record)" : OLD_BYTES}, 0) AS bytes
       FROM webhook_deliveries d
       WHERE ${IS_DUE} AND d.organization_id = causers.organization_id
       ORDER BY d.next_attempt_at_ms LIMIT (SELECT $4::bigint + 1 - count(*) FROM causers)
       FOR UPDATE OF d SKIP LOCKED) one),
     in_turns AS (
       SELECT delivery_id, bytes, turn,
         row_number() OVER (PARTITION BY turn ORDER BY next_attempt_at_ms, delivery_id) AS cycle FROM due),
     counted AS (
       SELECT delivery_id, row_number() OVER w AS place, sum(bytes) OVER w AS bytes FROM in_turns
       WINDOW w AS (ORDER BY cycle, turn)),
     taken AS (
       SELECT delivery_id, place FROM counted
       WHERE place <= $4::bigint AND (place = 1 OR bytes <= ${MAX_CLAIMED_BYTES}))
     UPDATE webhook_deliveries c SET next_attempt_at_ms = $3::bigint, rests = true
     FROM taken WHERE c.delivery_id = taken.delivery_id
     RETURNING taken.place, ${claimedColumns(store)}`,
    [endpointId, nowMs, untilMs, limit, after ?? FIRST],
  );
  return readClaimed(
    store,
    rows.toSorted((a, b) => Number(a.place) - Number(b.place)),
  );
}

export function toClaimed(row: Record<string, unknown>): Claimed {
  return {
    deliveryId: String(row.delivery_id),
    endpointId: String(row.endpoint_id),
    organizationId: String(row.organization_id),
    activityId: String(row.activity_id),
    eventType: String(row.event_type),
    attempts: Number(row.attempts),
    claimedUntilMs: Number(row.next_attempt_at_ms),
    bytes: Number(row.bytes),
    failures: Number(row.failures ?? 0),
    record: row.record instanceof Uint8Array ? row.record : null,
  };
}

export type Outcome = Pick<Delivery, "state" | "attempts" | "lastStatusCode" | "lastError"> & {
  nextAttemptAtMs: number;
};

export type Ended = { claimed: Claimed; outcome: Outcome; endpoint: Seen | null };

/** What an attempt has shown of its endpoint. `retryAtMs` is when it is tried again if it is paused, or now. */
export type Seen = { isDown: boolean; retryAtMs: number };

/**
 * Notes how attempts ended, except those of deliveries that another process has taken since, and what they have shown
 * of their endpoints: enough failures in a row pause one, and then only the delivery that it was tried with pauses it
 * further. Any other answer ends that. The rows are locked in the same order by every process.
 */
export async function noteOutcomes(store: Store, ended: readonly Ended[]): Promise<void> {
  const each = (pick: (one: Ended) => string | number | boolean | null) => ended.map(pick);
  await store.run(
    "note-outcomes",
    `WITH ended AS (
       SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[],
         $7::bigint[], $8::uuid[], $9::boolean[], $10::bigint[])
       AS t(delivery_id, claimed_until_ms, state, attempts, last_status_code, last_error, next_attempt_at_ms,
         endpoint_id, is_down, retry_at_ms)),
     locked AS (
       SELECT d.delivery_id FROM webhook_deliveries d JOIN ended USING (delivery_id)
       WHERE d.state = 'waiting' AND d.next_attempt_at_ms = ended.claimed_until_ms
       ORDER BY d.delivery_id FOR UPDATE OF d),
     seen AS (
       SELECT endpoint_id, bool_and(is_down) AS is_down, count(*) FILTER (WHERE attempts = 1) AS failures,
         min(retry_at_ms) AS retry_at_ms, max(claimed_until_ms) AS claimed_until_ms
       FROM ended WHERE is_down IS NOT NULL GROUP BY endpoint_id ORDER BY endpoint_id),
     changed AS (
       SELECT seen.endpoint_id, seen.retry_at_ms, CASE WHEN NOT seen.is_down THEN 0
         WHEN w.is_retried THEN w.failures + 1
         ELSE least(w.failures + seen.failures, ${PAUSED_AFTER}) END AS failures
       FROM seen CROSS JOIN LATERAL (
         SELECT failures, coalesce(${IS_PAUSED} AND retry_at_ms = seen.claimed_until_ms, false) AS is_retried
         FROM webhook_targets
         WHERE endpoint_id = seen.endpoint_id AND CASE WHEN NOT seen.is_down THEN failures > 0
           WHEN ${IS_PAUSED} THEN retry_at_ms = seen.claimed_until_ms ELSE seen.failures > 0 END
         LIMIT 1 FOR UPDATE) w),
     endpoints AS (
       UPDATE webhook_targets w SET failures = changed.failures,
         retry_at_ms = CASE WHEN greatest(w.failures, changed.failures) >= ${PAUSED_AFTER}
           THEN changed.retry_at_ms ELSE w.retry_at_ms END
       FROM changed WHERE w.endpoint_id = changed.endpoint_id
       RETURNING w.endpoint_id, w.failures)
     UPDATE webhook_deliveries d SET state = ended.state, attempts = ended.attempts,
       last_status_code = ended.last_status_code, last_error = ended.last_error,
       next_attempt_at_ms = CASE WHEN paused.endpoint_id IS NULL THEN ended.next_attempt_at_ms
         ELSE ${HELD_UNTIL_MS} END,
       rests = true, held = paused.endpoint_id IS NOT NULL
     FROM ended JOIN locked USING (delivery_id)
     LEFT JOIN endpoints paused ON paused.endpoint_id = ended.endpoint_id
       AND paused.failures >= ${PAUSED_AFTER} AND ended.state = 'waiting'
     WHERE d.delivery_id = ended.delivery_id`,
    [
      each(({ claimed }) => claimed.deliveryId),
      each(({ claimed }) => claimed.claimedUntilMs),
      each(({ outcome }) => outcome.state),
      each(({ outcome }) => outcome.attempts),
      each(({ outcome }) => outcome.lastStatusCode),
      each(({ outcome }) => outcome.lastError),
      each(({ outcome }) => outcome.nextAttemptAtMs),
      each(({ claimed }) => claimed.endpointId),
      each(({ endpoint }) => endpoint?.isDown ?? null),
      each(({ endpoint }) => endpoint?.retryAtMs ?? null),
    ],
  );
}

/**
 * Cancels what waits for an endpoint that was deleted or is not active. The delivery that was woken for that comes last,
 * so that the endpoint is found as long as others wait.
 */
export async function cancelDeliveries(
  store: Store,
  endpointId: string,
  limit: number,
): Promise<void> {
  await store.run(
    "cancel-deliveries",
    `UPDATE webhook_deliveries SET state = 'cancelled' WHERE delivery_id IN (
       SELECT delivery_id FROM webhook_deliveries
       WHERE endpoint_id = $1::uuid AND state = 'waiting'
       ORDER BY activity_id DESC, activity_version DESC LIMIT $2::bigint FOR UPDATE SKIP LOCKED)
     AND NOT EXISTS (SELECT 1 FROM webhook_targets w WHERE w.endpoint_id = $1::uuid)`,
    [endpointId, limit],
  );
}

/** Removes deliveries that ended and are older, and what was kept for them alone. Returns how many there were. */
export async function deleteDoneDeliveries(
  store: Store,
  beforeMs: number,
  limit: number,
): Promise<number> {
  const removed = await store.run(
    "delete-done-deliveries",
    `WITH removed AS (
       DELETE FROM webhook_deliveries WHERE delivery_id IN (
         SELECT delivery_id FROM webhook_deliveries
         WHERE state <> 'waiting' AND created_at_ms < $1::bigint
         ORDER BY created_at_ms LIMIT $2::bigint)
       RETURNING organization_id, activity_id, activity_version, may_change
     ), charged AS (
       ${chargeStorage(`(SELECT organization_id, -${ROW_BYTES} AS bytes FROM removed)`)}
     )
     SELECT organization_id, activity_id, activity_version, may_change FROM removed`,
    [beforeMs, limit],
  );
  const changed = removed.filter(({ may_change }) => may_change);
  if (changed.length === 0) return removed.length;
  await store.run(
    "delete-past-activities",
    `WITH unneeded AS (
       SELECT t.* FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS t(organization_id, activity_id, version)
       WHERE NOT EXISTS (SELECT 1 FROM webhook_deliveries d
         WHERE d.activity_id = t.activity_id AND d.activity_version = t.version AND d.may_change)
     )
     DELETE FROM past_activities p USING unneeded AS t
     WHERE p.organization_id = t.organization_id AND p.activity_id = t.activity_id AND p.version = t.version`,
    [
      changed.map(({ organization_id }) => organization_id),
      changed.map(({ activity_id }) => activity_id),
      changed.map(({ activity_version }) => activity_version),
    ],
  );
  return removed.length;
}

const columns = [
  "delivery_id",
  "endpoint_id",
  "activity_id",
  "event_type",
  "state",
  "attempts",
  "last_status_code",
  "last_error",
  "next_attempt_at_ms",
  "held",
  "created_at_ms",
] as const;

/** When an endpoint is tried again that is paused. */
const retryAtMs = (eb: ExpressionBuilder<Database, "webhook_deliveries">) =>
  eb
    .selectFrom("webhook_targets")
    .select("retry_at_ms")
    .whereRef("webhook_targets.endpoint_id", "=", "webhook_deliveries.endpoint_id")
    .as("retry_at_ms");

/** A delivery to one of the organization's own endpoints. */
export async function findDelivery(
  db: Db,
  ownerId: string,
  deliveryId: string,
): Promise<Delivery | undefined> {
  const row = await db
    .selectFrom("webhook_deliveries")
    .select(columns)
    .select(retryAtMs)
    .where("owner_id", "=", ownerId)
    .where("delivery_id", "=", deliveryId)
    .executeTakeFirst();
  return row && toDelivery(row);
}

/** About the size of the event of a delivery to one of the organization's own endpoints. 0 if there is none. */
export async function findDeliveryBytes(
  db: Db,
  ownerId: string,
  deliveryId: string,
): Promise<number> {
  const row = await db
    .selectFrom("webhook_deliveries")
    .select("bytes")
    .where("owner_id", "=", ownerId)
    .where("delivery_id", "=", deliveryId)
    .executeTakeFirst();
  return row?.bytes ?? 0;
}

/** A page, newest first. `before` and `after` are deliveries of the list. */
export async function listDeliveries(
  db: Db,
  ownerId: string,
  {
    endpointId,
    state,
    limit,
    goOn,
    ...sought
  }: {
    endpointId?: string | undefined;
    state?: DeliveryState | undefined;
    limit: number;
    before?: Place | undefined;
    after?: Place | undefined;
    goOn: () => void;
  },
): Promise<Delivery[]> {
  const range = rangeOf("desc", sought);
  const inPart = (part: { from: Place | undefined; to?: Place | undefined }) => {
    let query = db
      .selectFrom("webhook_deliveries")
      .where("owner_id", "=", ownerId)
      .orderBy("created_at_ms", range.direction)
      .orderBy("delivery_id", range.direction);
    for (const [operator, place] of range.bounds(part)) {
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple("created_at_ms", "delivery_id"),
          operator,
          tuple(place.createdAtMs, place.deliveryId),
        ),
      );
    }
    return query;
  };
  const isFiltered = endpointId !== undefined || state !== undefined;
  const rows = await readInWindows<Row, Place>({
    limit,
    from: range.from,
    async endAfter(from) {
      if (!isFiltered) return undefined;
      const last = await inPart({ from })
        .select(["created_at_ms", "delivery_id"])
        .offset(WINDOW_ROWS - 1)
        .limit(1)
        .executeTakeFirst();
      return last && { createdAtMs: last.created_at_ms, deliveryId: last.delivery_id };
    },
    async read({ from, to, limit }) {
      let query = inPart({ from, to }).select(columns).select(retryAtMs).limit(limit);
      if (endpointId !== undefined) query = query.where("endpoint_id", "=", endpointId);
      if (state !== undefined) query = query.where("state", "=", state);
      return { rows: await query.execute() };
    },
    goOn,
  });
  if (range.isReversed) rows.reverse();
  return rows.map(toDelivery);
}

/** Where a delivery is in the list. */
type Place = Pick<Delivery, "createdAtMs" | "deliveryId">;

type Row = Parameters<typeof toDelivery>[0];

function toDelivery(row: {
  delivery_id: string;
  endpoint_id: string;
  activity_id: string;
  event_type: string;
  state: DeliveryState;
  attempts: number;
  last_status_code: number | null;
  last_error: string | null;
  next_attempt_at_ms: number;
  retry_at_ms: number | null;
  held: boolean;
  created_at_ms: number;
}): Delivery {
  return {
    deliveryId: row.delivery_id,
    endpointId: row.endpoint_id,
    activityId: row.activity_id,
    eventType: row.event_type,
    state: row.state,
    attempts: row.attempts,
    lastStatusCode: row.last_status_code,
    lastError: row.last_error,
    nextAttemptAtMs: (row.held ? row.retry_at_ms : null) ?? row.next_attempt_at_ms,
    isHeld: row.held,
    createdAtMs: row.created_at_ms,
  };
}
