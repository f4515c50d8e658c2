-- An endpoint that fails is paused as a whole: one of its deliveries is tried at a time, and the others are held.
ALTER TABLE webhook_targets
  -- Different deliveries that failed in a row, up to the number that pauses it, and then attempts.
  ADD COLUMN failures bigint NOT NULL DEFAULT 0,
  -- When a paused endpoint is tried again. Of one that is no longer paused, until nothing of it is held.
  ADD COLUMN retry_at_ms bigint;

CREATE INDEX webhook_targets_to_retry ON webhook_targets (retry_at_ms, endpoint_id)
  WHERE retry_at_ms IS NOT NULL;

ALTER TABLE webhook_deliveries
  -- Waits for its endpoint, and rests until it is given up.
  ADD COLUMN held boolean NOT NULL DEFAULT false,
  ADD COLUMN resent_at_ms bigint;

-- In the order in which they are tried: small ones, those that were tried least, those asked for again, the newest.
CREATE INDEX webhook_deliveries_held
  ON webhook_deliveries (endpoint_id, (bytes >= 65536), attempts, resent_at_ms DESC NULLS LAST,
    next_attempt_at_ms DESC)
  WHERE state = 'waiting' AND held;
