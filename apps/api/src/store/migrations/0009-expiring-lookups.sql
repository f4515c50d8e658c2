-- Keys of sessions are found until they expire. What expired is deleted in the background.
ALTER TABLE lookups ADD COLUMN expires_at_ms bigint;

CREATE INDEX lookups_expiring ON lookups (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
