-- The version that an old document's record is a difference from. Null if the record is whole.
ALTER TABLE organization_documents ADD COLUMN base bigint;

CREATE INDEX organization_documents_whole ON organization_documents (organization_id, version)
  WHERE base IS NULL;

-- Versions that were replaced and may still be whole. Commits append them, and pruning takes them.
CREATE TABLE past_documents (
  organization_id uuid NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (organization_id, version)
);

INSERT INTO past_documents (organization_id, version)
  SELECT d.organization_id, d.version
  FROM organization_documents d JOIN organizations o ON o.organization_id = d.organization_id
  WHERE d.version < o.version;

-- Denials are limited for each user.
CREATE INDEX denials_by_user ON denials (organization_id, user_id, created_at_ms);
