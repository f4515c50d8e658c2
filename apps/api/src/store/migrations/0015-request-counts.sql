-- What processes tell each other about limited requests. Nothing else reads it, and every row may be deleted.
CREATE TABLE request_counts (
  limit_name text NOT NULL,
  -- SHA-256 of the client address or the credential.
  key_hash text NOT NULL,
  -- When all of the allowance is available again, by the clock of the database.
  full_at_ms double precision NOT NULL,
  -- By how much the last report moved it.
  spent_ms double precision NOT NULL,
  PRIMARY KEY (limit_name, key_hash)
);

CREATE INDEX request_counts_full ON request_counts (full_at_ms);
