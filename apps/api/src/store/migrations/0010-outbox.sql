-- Messages that a commit sends: written with it, or not at all. No column has a CHECK constraint, because
-- the error of one quotes the whole row, and the content can hold a secret.
CREATE TABLE outbox (
  organization_id uuid NOT NULL,
  message_id uuid NOT NULL,
  kind text NOT NULL,
  recipient text NOT NULL,
  -- JSON. Null once the message was delivered or is worthless.
  content text,
  -- `waiting` until somebody delivers it.
  state text NOT NULL,
  attempts bigint NOT NULL,
  next_attempt_at_ms bigint NOT NULL,
  expires_at_ms bigint NOT NULL,
  created_at_ms bigint NOT NULL,
  PRIMARY KEY (organization_id, message_id)
);

CREATE INDEX outbox_waiting ON outbox (next_attempt_at_ms) WHERE state = 'waiting';
