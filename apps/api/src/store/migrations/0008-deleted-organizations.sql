-- The row of a deleted organization stays: it points to the document that says so.
ALTER TABLE organizations ADD COLUMN deleted_at_ms bigint;

DROP INDEX organizations_by_parent;
CREATE INDEX organizations_by_parent ON organizations (parent_organization_id, organization_id)
  WHERE parent_organization_id IS NOT NULL AND deleted_at_ms IS NULL;

-- A value such as a common name occurs below many parents, and a parent asks for a page of its own.
DROP INDEX lookups_by_value;
CREATE INDEX lookups_by_value
  ON lookups (kind, value_hash, parent_organization_id, organization_id);

-- An address finds accounts of one organization, and the sub-organizations that have it.
DROP INDEX wallet_accounts_by_address;
CREATE INDEX wallet_accounts_by_address ON wallet_accounts (address, organization_id);
