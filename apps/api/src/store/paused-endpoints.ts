import type { Store } from "./connect.ts";
import {
  type Claimed,
  claimedColumns,
  FIRST,
  HELD_UNTIL_MS,
  IS_AWAKE,
  IS_HELD,
  IS_NEXT,
  IS_PAUSED,
  LARGE_BYTES,
  PAUSED_AFTER,
  readClaimed,
  type Target,
  toTarget,
} from "./webhook-deliveries.ts";

/** A paused endpoint whose time has come, or one that is no longer paused and may have deliveries that are held. */
export type Retry = {
  endpointId: string;
  retryAtMs: number;
  target: Target;
  isPaused: boolean;
  /** What it is tried with. Null if nothing is held. */
  probe: Probe | null;
};

export type Probe = { deliveryId: string; organizationId: string; bytes: number };

/**
 * The endpoints after this one that are to be tried again. Each is tried with what was tried least, so that an event that
 * its receiver cannot handle does not hold up the others, and first with what was asked for again.
 */
export async function listRetries(
  store: Store,
  { after, nowMs, limit }: { after: Retry | null; nowMs: number; limit: number },
): Promise<Retry[]> {
  const rows = await store.run(
    "list-retries",
    `SELECT w.*, probe.delivery_id, probe.causer_id, probe.bytes
     FROM (SELECT endpoint_id, url, organization_id, family_id, retry_at_ms, ${IS_PAUSED} AS is_paused
       FROM webhook_targets
       WHERE retry_at_ms <= $1::bigint AND (retry_at_ms, endpoint_id) > ($2::bigint, $3::uuid)
       ORDER BY retry_at_ms, endpoint_id LIMIT $4::bigint) w
     LEFT JOIN LATERAL (SELECT d.delivery_id, d.organization_id AS causer_id, d.bytes FROM webhook_deliveries d
       WHERE d.endpoint_id = w.endpoint_id AND ${IS_HELD} AND ${IS_NEXT}
       ORDER BY d.bytes >= ${LARGE_BYTES}, d.attempts, d.resent_at_ms DESC NULLS LAST,
         d.next_attempt_at_ms DESC LIMIT 1) probe ON true
     ORDER BY w.retry_at_ms, w.endpoint_id`,
    [nowMs, after?.retryAtMs ?? -1, after?.endpointId ?? FIRST, limit],
  );
  return rows.map((row) => ({
    endpointId: String(row.endpoint_id),
    retryAtMs: Number(row.retry_at_ms),
    target: toTarget(row),
    isPaused: row.is_paused === true,
    probe:
      row.delivery_id === null
        ? null
        : {
            deliveryId: String(row.delivery_id),
            organizationId: String(row.causer_id),
            bytes: Number(row.bytes),
          },
  }));
}

/** Takes the delivery that a paused endpoint is tried with, unless another process tries the endpoint. */
export async function claimProbe(
  store: Store,
  {
    endpointId,
    retryAtMs,
    deliveryId,
  }: { endpointId: string; retryAtMs: number; deliveryId: string },
  untilMs: number,
): Promise<Claimed | undefined> {
  const rows = await store.run(
    "claim-probe",
    `WITH w AS (
       UPDATE webhook_targets SET retry_at_ms = $4::bigint
       WHERE endpoint_id = $1::uuid AND retry_at_ms = $2::bigint AND ${IS_PAUSED}
       RETURNING failures)
     UPDATE webhook_deliveries c SET next_attempt_at_ms = $4::bigint, held = false FROM w
     WHERE c.delivery_id = $3::uuid AND ${IS_HELD}
     RETURNING w.failures, ${claimedColumns(store)}`,
    [endpointId, retryAtMs, deliveryId, untilMs],
  );
  const [claimed] = await readClaimed(store, rows);
  return claimed;
}

/** Holds what is awake of paused endpoints. Says how many deliveries. */
export async function holdDeliveries(
  store: Store,
  endpointIds: string[],
  limit: number,
): Promise<number> {
  // The lock keeps an endpoint paused until what is held can be seen by whoever ends the pause.
  const rows = await store.run(
    "hold-deliveries",
    `WITH paused AS (
       SELECT endpoint_id FROM webhook_targets
       WHERE endpoint_id = ANY ($1::uuid[]) AND ${IS_PAUSED} FOR SHARE SKIP LOCKED)
     UPDATE webhook_deliveries SET held = true, rests = true, next_attempt_at_ms = ${HELD_UNTIL_MS}
     WHERE delivery_id IN (
       SELECT d.delivery_id FROM paused CROSS JOIN LATERAL (
         SELECT delivery_id FROM webhook_deliveries
         WHERE endpoint_id = paused.endpoint_id AND ${IS_AWAKE}
         LIMIT $2::bigint FOR UPDATE SKIP LOCKED) d
       LIMIT $2::bigint)
     RETURNING 1`,
    [endpointIds, limit],
  );
  return rows.length;
}

/** Has what is held for these endpoints, which are no longer paused, tried again. Says how many deliveries. */
export async function releaseDeliveries(
  store: Store,
  endpointIds: string[],
  limit: number,
): Promise<number> {
  const rows = await store.run(
    "release-deliveries",
    `UPDATE webhook_deliveries SET held = false, rests = false,
       next_attempt_at_ms = coalesce(resent_at_ms, created_at_ms)
     WHERE delivery_id IN (
       SELECT d.delivery_id FROM unnest($1::uuid[]) AS w(endpoint_id) CROSS JOIN LATERAL (
         SELECT delivery_id FROM webhook_deliveries
         WHERE endpoint_id = w.endpoint_id AND ${IS_HELD}
         LIMIT $2::bigint FOR UPDATE SKIP LOCKED) d
       LIMIT $2::bigint)
     AND ${IS_HELD}
     RETURNING 1`,
    [endpointIds, limit],
  );
  return rows.length;
}

/**
 * Ends pauses without a delivery to try: first nothing more is held, and the next time, if nothing more is to be
 * released, the endpoint is as any other.
 */
export async function endPauses(store: Store, endpoints: readonly Retry[]): Promise<void> {
  await store.run(
    "end-pauses",
    `UPDATE webhook_targets SET failures = least(failures, ${PAUSED_AFTER - 1}),
       retry_at_ms = CASE WHEN ${IS_PAUSED} THEN retry_at_ms END
     WHERE endpoint_id IN (
       SELECT w.endpoint_id FROM webhook_targets w
       JOIN unnest($1::uuid[], $2::bigint[]) AS t(endpoint_id, retry_at_ms) USING (endpoint_id, retry_at_ms)
       WHERE ${IS_PAUSED} OR NOT EXISTS (
         SELECT 1 FROM webhook_deliveries d WHERE d.endpoint_id = w.endpoint_id AND ${IS_HELD})
       FOR UPDATE OF w SKIP LOCKED)`,
    [endpoints.map(({ endpointId }) => endpointId), endpoints.map(({ retryAtMs }) => retryAtMs)],
  );
}

/**
 * Gives up what was held for too long. Says of which endpoints. What is held for an endpoint that is no longer paused
 * is tried.
 */
export async function giveUpDeliveries(
  store: Store,
  nowMs: number,
  limit: number,
): Promise<string[]> {
  const rows = await store.run(
    "give-up-deliveries",
    `UPDATE webhook_deliveries c SET held = false, rests = false,
       state = CASE WHEN old.is_paused THEN 'exhausted' ELSE state END,
       last_error = CASE WHEN old.is_paused AND attempts = 0
         THEN 'not tried, because the endpoint failed other deliveries' ELSE last_error END
     FROM (
       SELECT d.delivery_id, (SELECT ${IS_PAUSED} FROM webhook_targets w
         WHERE w.endpoint_id = d.endpoint_id) AS is_paused
       FROM webhook_deliveries d
       WHERE ${IS_HELD} AND rests AND d.next_attempt_at_ms <= $1::bigint
       ORDER BY d.next_attempt_at_ms LIMIT $2::bigint FOR UPDATE OF d SKIP LOCKED) old
     WHERE c.delivery_id = old.delivery_id
     RETURNING c.endpoint_id, c.state`,
    [nowMs, limit],
  );
  return rows.flatMap(({ endpoint_id, state }) =>
    state === "exhausted" ? [String(endpoint_id)] : [],
  );
}
