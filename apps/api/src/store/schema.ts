import type { ColumnType, Generated } from "kysely";

/**
 * Tables of `migrations/` for the query builder, except those that hold one kind of record: their
 * own files declare them. Rows are not records: see each table's file.
 */

/** Some drivers return `bigint` as text; `connect.ts` makes it a number everywhere. */
type Int = ColumnType<number, number, number>;

export type Database = {
  organizations: {
    organization_id: string;
    parent_organization_id: string | null;
    version: Int;
    digest: string;
    organization_name: string;
    created_at_ms: Int;
    deleted_at_ms: ColumnType<number | null, number | null, number | null>;
  };
  installation: { singleton: number; installation_id: string };
  root_organization: { singleton: number; organization_id: string };
  signups: { organization_id: string; network_hash: string | null; site_hash: string | null };
  organization_documents: {
    organization_id: string;
    version: Int;
    digest: string;
    record: Uint8Array;
    base: ColumnType<number | null, number | null, number | null>;
  };
  past_documents: { organization_id: string; version: Int };
  deleted_wallets: { organization_id: string; wallet_id: string; place: string };
  lookups: {
    organization_id: string;
    kind: LookupKind;
    value_hash: string;
    subject_id: string;
    parent_organization_id: string | null;
    expires_at_ms: Int | null;
    is_from_parent: boolean;
    is_stated: boolean;
  };
  passkey_uses: { organization_id: string; authenticator_id: string; last_used_at_ms: Int };
  activities: {
    organization_id: string;
    activity_id: string;
    fingerprint: string;
    version: Int;
    type: string;
    status: string;
    record: Uint8Array;
    released: ColumnType<string | null, string | null, string | null>;
    statement: ColumnType<string | null, string | null, string | null>;
    statement_version: ColumnType<number | null, number | null, number | null>;
  };
  removed_activities: {
    organization_id: string;
    activity_id: string;
    fingerprint: string;
    version: Int;
    statement: string;
  };
  past_activities: {
    organization_id: string;
    activity_id: string;
    version: Int;
    record: Uint8Array;
  };
  leaves: {
    organization_id: string;
    activity_id: string;
    version: Int;
    hash: string;
    tag: string;
    bytes: Int;
  };
  organization_storage: { organization_id: string; bytes: Int; is_family: Generated<boolean> };
  segments: {
    organization_id: string;
    number: Int;
    document_version: Int;
    document_digest: string;
    digest: string | null;
    payload: string | null;
    signature: string | null;
  };
  segment_leaves: {
    organization_id: string;
    number: Int;
    position: number;
    activity_id: string;
    version: Int;
    hash: string;
    tag: string;
  };
  outbox: {
    organization_id: string;
    message_id: string;
    kind: string;
    sealed: ColumnType<string | null, string | null, string | null>;
    /** Of a message from before messages were sealed. */
    recipient: ColumnType<string | null, string | null, string | null>;
    content: ColumnType<string | null, string | null, string | null>;
    state: "waiting" | "delivered" | "failed" | "dropped";
    last_error: ColumnType<string | null, string | null, string | null>;
    attempts: Int;
    next_attempt_at_ms: Int;
    expires_at_ms: Int;
    created_at_ms: Int;
  };
  webhook_targets: {
    organization_id: string;
    endpoint_id: string;
    url: string;
    family_id: string;
    /** Different deliveries that failed in a row, up to the number that pauses it, and then attempts. */
    failures: Int;
    /** When a paused endpoint is tried again. Of one that is no longer paused, until nothing of it is held. */
    retry_at_ms: Int | null;
  };
  webhook_deliveries: {
    delivery_id: string;
    endpoint_id: string;
    owner_id: string;
    organization_id: string;
    activity_id: string;
    activity_version: Int;
    event_type: string;
    /** Of a delivery from before past activities were kept. */
    record: Uint8Array | null;
    may_change: boolean;
    /** About as many as the event has. 0 for a delivery from before sizes were noted. */
    bytes: Int;
    state: DeliveryState;
    attempts: Int;
    next_attempt_at_ms: Int;
    /** It is tried later, or a process tries it, and no round looks at it until then. */
    rests: ColumnType<boolean, boolean | undefined, boolean>;
    /** It waits for its endpoint, which is paused, and rests until it is given up. */
    held: ColumnType<boolean, boolean | undefined, boolean>;
    resent_at_ms: ColumnType<number | null, number | null | undefined, number | null>;
    last_status_code: ColumnType<number | null, number | null, number | null>;
    last_error: string | null;
    created_at_ms: Int;
  };
  code_sends: {
    organization_id: string;
    recipient_hash: string;
    sent_at_ms: number[];
    activity_ids: string[];
    last_sent_at_ms: Int;
  };
  denials: {
    organization_id: string;
    denial_id: string;
    user_id: string | null;
    type: string;
    fingerprint: string;
    error: unknown;
    created_at_ms: Int;
    body: string | null;
    public_key: string | null;
    document_version: ColumnType<number | null, number | null, number | null>;
  };
  schema_migrations: { number: number; name: string; applied_at_ms: Int };
};

/** `failed`: the receiver refused it, or the URL is not accepted. `exhausted`: it was tried too often, or waited too long for an endpoint that fails. */
export type DeliveryState = "waiting" | "delivered" | "failed" | "exhausted" | "cancelled";

export type LookupKind =
  | "PUBLIC_KEY"
  | "CREDENTIAL_ID"
  | "NAME"
  | "USERNAME"
  | "EMAIL"
  | "PHONE_NUMBER"
  | "VERIFIED_EMAIL"
  | "VERIFIED_PHONE_NUMBER"
  | "OIDC_TOKEN"
  | "VERIFIED_OIDC_TOKEN";
