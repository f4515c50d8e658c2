-- No round looks at a delivery that rests before it is due. All that wait now are woken when they are due.
ALTER TABLE webhook_deliveries ADD COLUMN rests boolean NOT NULL DEFAULT false;

UPDATE webhook_deliveries SET rests = true WHERE state = 'waiting';

CREATE INDEX webhook_deliveries_resting ON webhook_deliveries (next_attempt_at_ms)
  WHERE state = 'waiting' AND rests;

CREATE INDEX webhook_deliveries_awake ON webhook_deliveries (endpoint_id)
  WHERE state = 'waiting' AND NOT rests;

DROP INDEX webhook_deliveries_small;

CREATE INDEX webhook_deliveries_small ON webhook_deliveries (endpoint_id, next_attempt_at_ms)
  WHERE state = 'waiting' AND NOT rests AND bytes < 65536;

DROP INDEX webhook_deliveries_large;

CREATE INDEX webhook_deliveries_large ON webhook_deliveries (organization_id, endpoint_id, next_attempt_at_ms)
  WHERE state = 'waiting' AND NOT rests AND bytes >= 65536;
