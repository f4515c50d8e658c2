-- When codes and links for logging in were sent, to limit how many a contact gets. Nothing else reads it.
CREATE TABLE code_sends (
  organization_id uuid NOT NULL,
  -- SHA-256 of the contact, or of the request's userIdentifier.
  recipient_hash text NOT NULL,
  -- The newest of them, as many as the limits count. Each activity counts once.
  sent_at_ms bigint[] NOT NULL,
  activity_ids uuid[] NOT NULL,
  last_sent_at_ms bigint NOT NULL,
  PRIMARY KEY (organization_id, recipient_hash)
);

CREATE INDEX code_sends_last ON code_sends (last_sent_at_ms);
