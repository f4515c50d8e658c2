-- Columns other than `record` serve queries; the trusted core reads only `record`.
-- organization_id comes first in every key: it is the unit of concurrency and the shard key.

CREATE TABLE organizations (
  organization_id uuid PRIMARY KEY,
  parent_organization_id uuid,
  version bigint NOT NULL,
  digest text NOT NULL,
  organization_name text NOT NULL,
  created_at_ms bigint NOT NULL
);

CREATE INDEX organizations_by_parent ON organizations (parent_organization_id, organization_id)
  WHERE parent_organization_id IS NOT NULL;

-- The organization that the first start founded. There is one row: if two processes start at once on
-- an empty database, one fails on its key and founds nothing.
CREATE TABLE root_organization (
  singleton smallint PRIMARY KEY,
  organization_id uuid NOT NULL
);

CREATE TABLE organization_documents (
  organization_id uuid NOT NULL,
  version bigint NOT NULL,
  digest text NOT NULL,
  record bytea NOT NULL,
  PRIMARY KEY (organization_id, version)
);

-- Finds other organizations by facts about their people. It only finds; the core decides.
CREATE TABLE lookups (
  organization_id uuid NOT NULL,
  kind text NOT NULL,
  value_hash text NOT NULL,
  subject_id uuid NOT NULL,
  parent_organization_id uuid,
  PRIMARY KEY (organization_id, kind, value_hash, subject_id)
);

CREATE INDEX lookups_by_value ON lookups (kind, value_hash, organization_id);

CREATE TABLE sessions (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  version bigint NOT NULL,
  digest text NOT NULL,
  record bytea NOT NULL,
  PRIMARY KEY (organization_id, user_id)
);

CREATE TABLE wallets (
  organization_id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  digest text NOT NULL,
  record bytea NOT NULL,
  PRIMARY KEY (organization_id, wallet_id)
);

CREATE TABLE wallet_accounts (
  organization_id uuid NOT NULL,
  wallet_account_id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  path text NOT NULL,
  address_format text NOT NULL,
  address text NOT NULL,
  created_at_ms bigint NOT NULL,
  digest text NOT NULL,
  record bytea NOT NULL,
  PRIMARY KEY (organization_id, wallet_account_id)
);

CREATE UNIQUE INDEX wallet_accounts_by_place
  ON wallet_accounts (organization_id, wallet_id, path, address_format);
CREATE INDEX wallet_accounts_by_address ON wallet_accounts (organization_id, address);

CREATE TABLE private_keys (
  organization_id uuid NOT NULL,
  private_key_id uuid NOT NULL,
  digest text NOT NULL,
  record bytea NOT NULL,
  PRIMARY KEY (organization_id, private_key_id)
);

CREATE TABLE private_key_addresses (
  organization_id uuid NOT NULL,
  address text NOT NULL,
  private_key_id uuid NOT NULL,
  PRIMARY KEY (organization_id, address, private_key_id)
);

CREATE TABLE activities (
  organization_id uuid NOT NULL,
  activity_id uuid NOT NULL,
  fingerprint text NOT NULL,
  version bigint NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  record bytea NOT NULL,
  PRIMARY KEY (organization_id, activity_id)
);

CREATE UNIQUE INDEX activities_by_fingerprint ON activities (organization_id, fingerprint);
CREATE INDEX activities_waiting ON activities (organization_id, activity_id)
  WHERE status = 'ACTIVITY_STATUS_CONSENSUS_NEEDED';

-- Leaves that wait to be sealed into a segment. Commits append them, and the sealer takes them.
CREATE TABLE leaves (
  organization_id uuid NOT NULL,
  activity_id uuid NOT NULL,
  version bigint NOT NULL,
  hash text NOT NULL,
  tag text NOT NULL,
  PRIMARY KEY (organization_id, activity_id, version)
);

-- A segment and its leaves are claimed first and signed afterwards, so that a repeated request to the
-- signer is the same.
CREATE TABLE segments (
  organization_id uuid NOT NULL,
  number bigint NOT NULL,
  document_version bigint NOT NULL,
  document_digest text NOT NULL,
  digest text,
  payload text,
  signature text,
  PRIMARY KEY (organization_id, number)
);

CREATE INDEX segments_open ON segments (organization_id, number) WHERE signature IS NULL;

-- The leaf, and its segment, that each version of an activity became.
CREATE TABLE segment_leaves (
  organization_id uuid NOT NULL,
  number bigint NOT NULL,
  position integer NOT NULL,
  activity_id uuid NOT NULL,
  version bigint NOT NULL,
  hash text NOT NULL,
  tag text NOT NULL,
  PRIMARY KEY (organization_id, number, position)
);

CREATE INDEX segment_leaves_by_activity ON segment_leaves (organization_id, activity_id);

-- Denied requests, kept to explain them later. They are not notarized, but rate-limited and pruned.
CREATE TABLE denials (
  organization_id uuid NOT NULL,
  denial_id uuid NOT NULL,
  user_id uuid,
  type text NOT NULL,
  fingerprint text NOT NULL,
  error jsonb NOT NULL,
  created_at_ms bigint NOT NULL,
  PRIMARY KEY (organization_id, denial_id)
);
