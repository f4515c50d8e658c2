-- The core seals messages to the courier, so the host holds no recipient and no content. A message from
-- before has both; the service seals it when it starts. `sealed` is null once it was delivered or is worthless.
ALTER TABLE outbox ADD COLUMN sealed text;
ALTER TABLE outbox ALTER COLUMN recipient DROP NOT NULL;

-- Why the last attempt failed, without any secret. `state` is `waiting`, `delivered`, `failed` or `dropped`.
ALTER TABLE outbox ADD COLUMN last_error text;

CREATE INDEX outbox_failed ON outbox (expires_at_ms) WHERE state = 'failed';
CREATE INDEX outbox_settled ON outbox (expires_at_ms) WHERE state <> 'waiting';
