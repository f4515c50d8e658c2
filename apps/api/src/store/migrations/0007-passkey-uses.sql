-- When each passkey was last used, for people. Nothing decides by it.
CREATE TABLE passkey_uses (
  organization_id uuid NOT NULL,
  authenticator_id uuid NOT NULL,
  last_used_at_ms bigint NOT NULL,
  PRIMARY KEY (organization_id, authenticator_id)
);
