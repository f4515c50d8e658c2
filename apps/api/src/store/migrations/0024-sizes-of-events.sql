-- About the size of each event. Large events have a pace, and small ones pass them. 0 in rows from before.
ALTER TABLE webhook_deliveries ADD COLUMN bytes bigint NOT NULL DEFAULT 0;

DROP INDEX webhook_deliveries_waiting;

CREATE INDEX webhook_deliveries_small ON webhook_deliveries (endpoint_id, next_attempt_at_ms)
  WHERE state = 'waiting' AND bytes < 65536;

-- By the organization whose activity it is.
CREATE INDEX webhook_deliveries_large ON webhook_deliveries (organization_id, endpoint_id, next_attempt_at_ms)
  WHERE state = 'waiting' AND bytes >= 65536;
