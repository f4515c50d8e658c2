import type { SealedMessage } from "@keyhearth/engine/messages/message";
import type { Db, Store } from "./connect.ts";

/** A message that an attempt has taken. Nobody else takes it until the lease ends. */
export type TakenMessage = SealedMessage & {
  organizationId: string;
  /** The top-level organization: the same one, or its parent. */
  familyId: string;
  /** Including this one. */
  attempts: number;
  isOrganizationDeleted: boolean;
};

type Place = { organizationId: string; messageId: string };

/**
 * Takes some messages whose time has come. If the process dies, they are taken again once the lease has
 * ended. Processes that take at the same time skip each other's rows. Nothing is taken of organizations that are
 * busy, or of families that are.
 */
export async function takeMessages(store: Store, sought: Sought): Promise<TakenMessage[]> {
  const rows = await (store.isDistributed ? takeWithoutLocks(store, sought) : take(store, sought));
  return rows.map((row) => ({
    ...placeOf(row),
    ...sealedOf(row),
    familyId: String(row.family_id),
    attempts: Number(row.attempts),
    isOrganizationDeleted: row.is_deleted === true,
  }));
}

type Sought = {
  kinds: string[];
  busy: string[];
  busyFamilies: string[];
  nowMs: number;
  leaseMs: number;
  limit: number;
};

type Rows = Record<string, unknown>[];

function take(
  { run }: Pick<Store, "run">,
  { kinds, busy, busyFamilies, nowMs, leaseMs, limit }: Sought,
): Promise<Rows> {
  return run(
    "take-messages",
    `UPDATE outbox AS o SET attempts = o.attempts + 1, next_attempt_at_ms = $1::bigint + $2::bigint
     FROM (
       SELECT organization_id, message_id FROM outbox AS w
       WHERE state = 'waiting' AND next_attempt_at_ms <= $1::bigint AND expires_at_ms > $1::bigint
         AND sealed IS NOT NULL AND kind = ANY($3::text[])
         AND organization_id <> ALL($4::uuid[] || $6::uuid[])
         AND NOT EXISTS (SELECT 1 FROM organizations AS g
           WHERE g.organization_id = w.organization_id AND g.parent_organization_id = ANY($6::uuid[]))
       ORDER BY next_attempt_at_ms LIMIT $5::bigint FOR UPDATE SKIP LOCKED
     ) AS due
     WHERE o.organization_id = due.organization_id AND o.message_id = due.message_id
     RETURNING o.organization_id, o.message_id, o.kind, o.sealed, o.attempts, o.created_at_ms,
       o.expires_at_ms, coalesce((
         SELECT g.parent_organization_id FROM organizations AS g
         WHERE g.organization_id = o.organization_id), o.organization_id) AS family_id, NOT EXISTS (
         SELECT 1 FROM organizations AS g
         WHERE g.organization_id = o.organization_id AND g.deleted_at_ms IS NULL) AS is_deleted`,
    [nowMs, leaseMs, kinds, busy, limit, busyFamilies],
  );
}

/**
 * Citus locks rows of one organization at a time, so there messages are found first. What another process has taken
 * since is due no longer, which the update looks at once it has the row.
 */
async function takeWithoutLocks(
  { run }: Pick<Store, "run">,
  { kinds, busy, busyFamilies, nowMs, leaseMs, limit }: Sought,
): Promise<Rows> {
  const due = await run(
    "find-due-messages",
    `SELECT w.organization_id, w.message_id, coalesce(g.parent_organization_id, w.organization_id) AS family_id,
       g.organization_id IS NULL OR g.deleted_at_ms IS NOT NULL AS is_deleted
     FROM outbox w LEFT JOIN organizations g ON g.organization_id = w.organization_id
     WHERE w.state = 'waiting' AND w.next_attempt_at_ms <= $1::bigint AND w.expires_at_ms > $1::bigint
       AND w.sealed IS NOT NULL AND w.kind = ANY($2::text[])
       AND w.organization_id <> ALL($3::uuid[] || $4::uuid[])
       AND (g.parent_organization_id IS NULL OR g.parent_organization_id <> ALL($4::uuid[]))
     ORDER BY w.next_attempt_at_ms LIMIT $5::bigint`,
    [nowMs, kinds, busy, busyFamilies, limit],
  );
  if (due.length === 0) return [];
  const taken = await run(
    "take-due-messages",
    `UPDATE outbox AS o SET attempts = o.attempts + 1, next_attempt_at_ms = $1::bigint + $2::bigint
     FROM unnest($3::uuid[], $4::uuid[]) AS due(organization_id, message_id)
     WHERE o.organization_id = due.organization_id AND o.message_id = due.message_id
       AND o.state = 'waiting' AND o.next_attempt_at_ms <= $1::bigint
     RETURNING o.organization_id, o.message_id, o.kind, o.sealed, o.attempts, o.created_at_ms, o.expires_at_ms`,
    [
      nowMs,
      leaseMs,
      due.map(({ organization_id }) => organization_id),
      due.map(({ message_id }) => message_id),
    ],
  );
  return taken.map((row) => ({
    ...due.find(({ message_id }) => message_id === row.message_id),
    ...row,
  }));
}

/** Ends a message. Its sealed text goes, whatever became of it. */
export async function settleMessage(
  { run }: Store,
  { organizationId, messageId }: Place,
  { state, lastError }: { state: "delivered" | "failed" | "dropped"; lastError: string | null },
) {
  await run(
    "settle-message",
    `UPDATE outbox SET state = $3::text, last_error = $4::text, sealed = NULL
     WHERE organization_id = $1::uuid AND message_id = $2::uuid AND state = 'waiting'`,
    [organizationId, messageId, state, lastError],
  );
}

export async function retryMessage(
  { run }: Store,
  { organizationId, messageId }: Place,
  { nextAttemptAtMs, lastError }: { nextAttemptAtMs: number; lastError: string },
) {
  await run(
    "retry-message",
    `UPDATE outbox SET next_attempt_at_ms = $3::bigint, last_error = $4::text
     WHERE organization_id = $1::uuid AND message_id = $2::uuid AND state = 'waiting'`,
    [organizationId, messageId, nextAttemptAtMs, lastError],
  );
}

export type EndedMessage = Place & { kind: string; lastError: string | null };

/** Ends messages that are worthless by now. `state` is `dropped` where nothing was to deliver them. */
export async function expireMessages(
  { run }: Store,
  { nowMs, state }: { nowMs: number; state: "failed" | "dropped" },
): Promise<EndedMessage[]> {
  const rows = await run(
    "expire-messages",
    `UPDATE outbox SET state = $2::text, sealed = NULL, recipient = NULL, content = NULL,
       last_error = 'expired' || coalesce(': ' || last_error, '')
     WHERE (organization_id, message_id) IN (
       SELECT organization_id, message_id FROM outbox
       WHERE state = 'waiting' AND expires_at_ms <= $1::bigint LIMIT 1000)
     RETURNING organization_id, message_id, kind, last_error`,
    [nowMs, state],
  );
  return rows.map((row) => ({
    ...placeOf(row),
    kind: String(row.kind),
    lastError: row.last_error === null ? null : String(row.last_error),
  }));
}

/** Rows of messages that ended long ago. */
export async function deleteEndedMessages({ run }: Store, beforeMs: number) {
  await run(
    "delete-ended-messages",
    `DELETE FROM outbox WHERE (organization_id, message_id) IN (
       SELECT organization_id, message_id FROM outbox
       WHERE state <> 'waiting' AND expires_at_ms < $1::bigint LIMIT 1000)`,
    [beforeMs],
  );
}

export async function countMessages({ run }: Store): Promise<{ waiting: number; failed: number }> {
  const [row] = await run(
    "count-messages",
    `SELECT (SELECT count(*) FROM outbox WHERE state = 'waiting') AS waiting,
       (SELECT count(*) FROM outbox WHERE state = 'failed') AS failed`,
    [],
  );
  return { waiting: Number(row?.waiting ?? 0), failed: Number(row?.failed ?? 0) };
}

/** The newest messages that wait and are still worth something, for the mailbox. */
export async function listWaitingMessages(
  db: Db,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<SealedMessage[]> {
  const rows = await db
    .selectFrom("outbox")
    .select(["message_id", "kind", "sealed", "created_at_ms", "expires_at_ms"])
    .where("state", "=", "waiting")
    .where("sealed", "is not", null)
    .where("expires_at_ms", ">", nowMs)
    .orderBy("created_at_ms", "desc")
    .orderBy("message_id")
    .limit(limit)
    .execute();
  return rows.map(sealedOf);
}

/** A message of a version that did not seal them. */
export type OpenMessage = Place & {
  kind: string;
  recipient: string;
  content: string;
  createdAtMs: number;
  expiresAtMs: number;
};

export async function listOpenMessages(db: Db): Promise<OpenMessage[]> {
  const rows = await db
    .selectFrom("outbox")
    .selectAll()
    .where("state", "=", "waiting")
    .where("content", "is not", null)
    .execute();
  return rows.map((row) => ({
    organizationId: row.organization_id,
    messageId: row.message_id,
    kind: row.kind,
    recipient: row.recipient ?? "",
    content: row.content ?? "",
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
  }));
}

/** Puts the sealed message in the place of the open one, under its own id. */
export async function replaceOpenMessage(
  { run }: Store,
  { organizationId, messageId }: Place,
  sealed: Pick<SealedMessage, "messageId" | "sealed">,
) {
  await run(
    "replace-open-message",
    `UPDATE outbox SET message_id = $3::uuid, sealed = $4::text, recipient = NULL, content = NULL
     WHERE organization_id = $1::uuid AND message_id = $2::uuid AND content IS NOT NULL`,
    [organizationId, messageId, sealed.messageId, sealed.sealed],
  );
}

function placeOf(row: Record<string, unknown>): Place {
  return { organizationId: String(row.organization_id), messageId: String(row.message_id) };
}

function sealedOf(row: Record<string, unknown>): SealedMessage {
  return {
    messageId: String(row.message_id),
    // The core wrote the kind.
    kind: row.kind as SealedMessage["kind"],
    sealed: String(row.sealed),
    createdAtMs: Number(row.created_at_ms),
    expiresAtMs: Number(row.expires_at_ms),
  };
}
