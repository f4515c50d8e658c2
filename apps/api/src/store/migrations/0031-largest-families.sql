-- Which families store the most is found without reading what all the others store.
SET LOCAL enable_seqscan = on;
ALTER TABLE organization_storage ADD COLUMN is_family boolean NOT NULL DEFAULT false;
UPDATE organization_storage s SET is_family = true FROM organizations o
  WHERE o.organization_id = s.organization_id AND o.parent_organization_id IS NULL;
CREATE INDEX organization_storage_of_families ON organization_storage (bytes) WHERE is_family;
