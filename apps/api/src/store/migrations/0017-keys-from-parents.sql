-- Whether a credential came with the creation of its sub-organization. The parent decided about it, so it says
-- more about whose it is than a key that somebody registered later.
ALTER TABLE lookups ADD COLUMN is_from_parent boolean NOT NULL DEFAULT false;

-- A document that was never replaced is the parent's.
UPDATE lookups l SET is_from_parent = true FROM organizations o
WHERE o.organization_id = l.organization_id AND o.version = 1
  AND l.parent_organization_id IS NOT NULL AND l.expires_at_ms IS NULL
  AND l.kind IN ('PUBLIC_KEY', 'CREDENTIAL_ID');

CREATE INDEX lookups_from_parent ON lookups (kind, value_hash, parent_organization_id, organization_id)
  WHERE is_from_parent;
