-- The small events of an endpoint are taken in turns by the organization that caused them.
DROP INDEX webhook_deliveries_small;

CREATE INDEX webhook_deliveries_small ON webhook_deliveries (endpoint_id, organization_id, next_attempt_at_ms)
  WHERE state = 'waiting' AND NOT rests AND bytes < 65536;
