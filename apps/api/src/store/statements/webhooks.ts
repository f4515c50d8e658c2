import type { CommitUnit } from "../commit-unit.ts";
import { IS_PAUSED } from "../webhook-deliveries.ts";
import type { Statement } from "./statement.ts";

const FINAL = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_FAILED", "ACTIVITY_STATUS_REJECTED"];

/** More than an organization and its parent can have together. */
const MAX_TARGETS = 32;

/**
 * A delivery for each target of the organization and of its parent, as they were before this
 * statement. Without targets it is one look at an index.
 */
export function insertDeliveries(statement: Statement, units: CommitUnit[]) {
  statement.with(
    "new_deliveries",
    `INSERT INTO webhook_deliveries (delivery_id, endpoint_id, owner_id, organization_id, activity_id,
       activity_version, event_type, may_change, bytes, state, attempts, next_attempt_at_ms, created_at_ms)
     SELECT gen_random_uuid(), w.endpoint_id, w.organization_id, accepted.organization_id, t.activity_id,
       t.version, 'ACTIVITY_UPDATES', t.may_change, t.bytes, 'waiting', 0, t.at_ms, t.at_ms
     FROM unnest(${statement.list(units, "uuid", ({ activity }) => activity.activityId)},
       ${statement.list(units, "bigint", ({ activity }) => activity.version)},
       ${statement.list(units, "uuid", (unit) => unit.parentOrganizationId)},
       ${statement.list(units, "bigint", (unit) => unit.atMs)},
       ${statement.list(units, "boolean", mayChange)},
       ${statement.list(units, "bigint", ({ activity }) => activity.size)})
     AS t(activity_id, version, parent_id, at_ms, may_change, bytes) JOIN accepted USING (activity_id)
     CROSS JOIN LATERAL (SELECT endpoint_id, organization_id FROM webhook_targets
       WHERE organization_id = ANY (ARRAY[accepted.organization_id, t.parent_id])
       LIMIT ${MAX_TARGETS}) w
     RETURNING activity_id`,
  );
}

/** An activity that is finished stays as it is. One that waits may be replaced before it was sent. */
function mayChange({ activity: { status } }: CommitUnit): boolean {
  return !FINAL.includes(status);
}

/**
 * Reads the version of an activity that this statement replaces, if there are deliveries of it. They may also be sent
 * again. It comes before the part that replaces it: on Citus, each part sees what the parts before it have written.
 */
export function readReplaced(
  statement: Statement,
  { organizationId, activity: { activityId, version } }: CommitUnit,
) {
  const id = statement.add(activityId, "uuid");
  const replaced = `${statement.add(version, "bigint")} - 1`;
  statement.with(
    "delivered_version",
    `SELECT d.activity_id FROM webhook_deliveries d
     WHERE d.activity_id = ${id} AND d.activity_version = ${replaced} AND d.may_change LIMIT 1`,
  );
  statement.read(
    "replaced_version",
    `SELECT a.organization_id, a.activity_id, a.version, a.record
     FROM activities a JOIN delivered_version USING (activity_id)
     WHERE a.organization_id = ${statement.add(organizationId, "uuid")} AND a.activity_id = ${id}
       AND a.version = ${replaced}`,
  );
}

/** Keeps what `readReplaced` has read. */
export function keepReplaced(statement: Statement) {
  statement.with(
    "kept_version",
    `INSERT INTO past_activities (organization_id, activity_id, version, record)
     SELECT r.organization_id, r.activity_id, r.version, r.record
     FROM replaced_version r JOIN accepted USING (organization_id, activity_id)
     ON CONFLICT DO NOTHING`,
  );
}

/** Puts deliveries back that were asked for again. If their endpoint is paused, it is tried at once. */
export function resendDeliveries(statement: Statement, units: CommitUnit[]) {
  const rows = units.flatMap(({ resent, organizationId, atMs, activity: { activityId } }) =>
    resent === null ? [] : [{ resent, organizationId, atMs, activityId }],
  );
  if (rows.length === 0) return;
  statement.with(
    "resent",
    `UPDATE webhook_deliveries d SET state = 'waiting', attempts = 0, next_attempt_at_ms = t.at_ms,
       rests = false, held = false, resent_at_ms = t.at_ms
     FROM unnest(${statement.list(rows, "uuid", (row) => row.activityId)},
       ${statement.list(rows, "uuid", (row) => row.resent)},
       ${statement.list(rows, "bigint", (row) => row.atMs)})
     AS t(activity_id, delivery_id, at_ms) JOIN accepted USING (activity_id)
     WHERE d.delivery_id = t.delivery_id AND d.owner_id = accepted.organization_id
       AND (d.state <> 'waiting' OR d.held)
     RETURNING d.endpoint_id, d.resent_at_ms`,
  );
  statement.with(
    "retried_targets",
    `UPDATE webhook_targets w SET retry_at_ms = resent.resent_at_ms FROM resent
     WHERE w.endpoint_id = resent.endpoint_id AND ${IS_PAUSED}`,
  );
}

/** The targets of the documents that the units write. What was held for one of them is released. */
export function writeTargets(statement: Statement, units: CommitUnit[]) {
  const written = units.flatMap(({ targets, atMs, activity: { activityId } }) =>
    targets.written.map((row) => ({ ...row, atMs, activityId })),
  );
  if (written.length > 0) {
    statement.with(
      "new_targets",
      `INSERT INTO webhook_targets (organization_id, endpoint_id, url, family_id, retry_at_ms)
       SELECT t.organization_id, t.endpoint_id, t.url, t.family_id, t.at_ms
       FROM unnest(${statement.list(written, "uuid", (row) => row.activityId)},
         ${statement.list(written, "uuid", (row) => row.organizationId)},
         ${statement.list(written, "uuid", (row) => row.endpointId)},
         ${statement.list(written, "text", (row) => row.url)},
         ${statement.list(written, "uuid", (row) => row.familyId)},
         ${statement.list(written, "bigint", (row) => row.atMs)})
       AS t(activity_id, organization_id, endpoint_id, url, family_id, at_ms) JOIN accepted USING (activity_id)
       ON CONFLICT (organization_id, endpoint_id) DO UPDATE SET url = excluded.url, failures = 0,
         retry_at_ms = excluded.retry_at_ms`,
    );
  }
  const removed = units.flatMap(({ organizationId, targets, activity: { activityId } }) =>
    targets.removed.map((endpointId) => ({ organizationId, endpointId, activityId })),
  );
  if (removed.length === 0) return;
  statement.with(
    "removed_targets",
    `DELETE FROM webhook_targets w
     USING unnest(${statement.list(removed, "uuid", (row) => row.activityId)},
       ${statement.list(removed, "uuid", (row) => row.organizationId)},
       ${statement.list(removed, "uuid", (row) => row.endpointId)})
     AS t(activity_id, organization_id, endpoint_id) JOIN accepted USING (activity_id)
     WHERE w.organization_id = t.organization_id AND w.endpoint_id = t.endpoint_id
     RETURNING w.endpoint_id`,
  );
  // So that the next round finds the endpoint, and cancels all that waits for it.
  statement.with(
    "woken_deliveries",
    `UPDATE webhook_deliveries SET rests = false WHERE delivery_id IN (
       SELECT first.delivery_id FROM removed_targets CROSS JOIN LATERAL (
         SELECT d.delivery_id FROM webhook_deliveries d
         WHERE d.endpoint_id = removed_targets.endpoint_id AND d.state = 'waiting'
         ORDER BY d.activity_id, d.activity_version LIMIT 1 FOR UPDATE SKIP LOCKED) first)`,
  );
}
