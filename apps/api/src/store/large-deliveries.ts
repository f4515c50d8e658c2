import type { Store } from "./connect.ts";
import {
  type Claimed,
  FIRST,
  IS_AWAKE_AND_LARGE,
  IS_NEXT,
  IS_PAUSED,
  type Target,
  toClaimed,
  toTarget,
} from "./webhook-deliveries.ts";

/** One version of an activity. */
export type LargeEvent = { organizationId: string; activityId: string; activityVersion: number };

/** The next large event that is due for an endpoint. */
export type DueLarge = { endpointId: string; target: Target; event: LargeEvent };

/** The organizations after this one of whose activities large events are due. */
export async function listCausers(
  store: Store,
  { after, nowMs, limit }: { after: string | null; nowMs: number; limit: number },
): Promise<string[]> {
  const rows = await store.run(
    "list-causers",
    `WITH RECURSIVE o AS (
       (SELECT organization_id FROM webhook_deliveries
        WHERE ${IS_AWAKE_AND_LARGE} AND organization_id > $1::uuid
        ORDER BY organization_id LIMIT 1)
       UNION ALL
       SELECT (SELECT d.organization_id FROM webhook_deliveries d
        WHERE ${IS_AWAKE_AND_LARGE} AND d.organization_id > o.organization_id
        ORDER BY d.organization_id LIMIT 1)
       FROM o WHERE o.organization_id IS NOT NULL)
     SELECT organization_id FROM o WHERE organization_id IS NOT NULL
       AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.organization_id = o.organization_id
         AND ${IS_AWAKE_AND_LARGE} AND d.next_attempt_at_ms <= $2::bigint)
     LIMIT $3::bigint`,
    [after ?? FIRST, nowMs, limit],
  );
  return rows.map(({ organization_id }) => String(organization_id));
}

/** The next large event of an organization for each endpoint, the oldest first. */
export async function listDueLarge(
  store: Store,
  organizationId: string,
  nowMs: number,
): Promise<DueLarge[]> {
  const rows = await store.run(
    "list-due-large",
    `WITH RECURSIVE e AS (
       (SELECT endpoint_id FROM webhook_deliveries
        WHERE organization_id = $1::uuid AND ${IS_AWAKE_AND_LARGE}
        ORDER BY endpoint_id LIMIT 1)
       UNION ALL
       SELECT (SELECT d.endpoint_id FROM webhook_deliveries d
        WHERE d.organization_id = $1::uuid AND ${IS_AWAKE_AND_LARGE}
          AND d.endpoint_id > e.endpoint_id ORDER BY d.endpoint_id LIMIT 1)
       FROM e WHERE e.endpoint_id IS NOT NULL)
     SELECT e.endpoint_id, w.url, w.organization_id, w.family_id, next.activity_id, next.activity_version
     FROM e JOIN webhook_targets w ON w.endpoint_id = e.endpoint_id AND NOT ${IS_PAUSED}
     CROSS JOIN LATERAL (SELECT d.activity_id, d.activity_version, d.next_attempt_at_ms
       FROM webhook_deliveries d
       WHERE d.organization_id = $1::uuid AND d.endpoint_id = e.endpoint_id AND ${IS_AWAKE_AND_LARGE}
         AND d.next_attempt_at_ms <= $2::bigint AND ${IS_NEXT}
       ORDER BY d.next_attempt_at_ms, d.activity_id LIMIT 1) next
     ORDER BY next.next_attempt_at_ms, next.activity_id`,
    [organizationId, nowMs],
  );
  return rows.map((row) => ({
    endpointId: String(row.endpoint_id),
    target: toTarget(row),
    event: {
      organizationId,
      activityId: String(row.activity_id),
      activityVersion: Number(row.activity_version),
    },
  }));
}

/** Takes one event for all of these endpoints for which it is due, and reads its record once. */
export async function claimEvent(
  store: Store,
  { organizationId, activityId, activityVersion }: LargeEvent,
  { endpointIds, nowMs, untilMs }: { endpointIds: string[]; nowMs: number; untilMs: number },
): Promise<Claimed[]> {
  const rows = await store.run(
    "claim-event",
    `UPDATE webhook_deliveries c SET next_attempt_at_ms = $6::bigint, rests = true
     WHERE c.delivery_id IN (
       SELECT d.delivery_id FROM webhook_deliveries d
       WHERE d.endpoint_id = ANY ($2::uuid[]) AND d.activity_id = $3::uuid
         AND d.activity_version = $4::bigint AND d.organization_id = $1::uuid
         AND d.state = 'waiting' AND d.next_attempt_at_ms <= $5::bigint AND ${IS_NEXT}
       ORDER BY d.delivery_id FOR UPDATE OF d SKIP LOCKED)
     RETURNING c.delivery_id, c.endpoint_id, c.organization_id, c.event_type, c.attempts,
       c.next_attempt_at_ms, c.bytes`,
    [organizationId, endpointIds, activityId, activityVersion, nowMs, untilMs],
  );
  if (rows.length === 0) return [];
  const [found] = await store.run(
    "read-event",
    `SELECT coalesce((SELECT a.record FROM activities a
         WHERE a.organization_id = $1::uuid AND a.activity_id = $2::uuid AND a.version = $3::bigint),
       (SELECT p.record FROM past_activities p
         WHERE p.organization_id = $1::uuid AND p.activity_id = $2::uuid AND p.version = $3::bigint))
       AS record`,
    [organizationId, activityId, activityVersion],
  );
  return rows.map((row) => toClaimed({ ...row, activity_id: activityId, record: found?.record }));
}
