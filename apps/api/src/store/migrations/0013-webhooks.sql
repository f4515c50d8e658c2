-- Where events of activities are sent: the endpoints of current documents, and the URL of the feature
-- FEATURE_NAME_WEBHOOK, whose endpoint id is that of the organization. Only those that get events.
CREATE TABLE webhook_targets (
  -- The organization that has the endpoint.
  organization_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  url text NOT NULL,
  -- The top-level organization. Those of one share what is sent at once.
  family_id uuid NOT NULL,
  PRIMARY KEY (organization_id, endpoint_id)
);

CREATE UNIQUE INDEX webhook_targets_by_endpoint ON webhook_targets (endpoint_id);

-- An event for one endpoint, written by the commit of its activity.
CREATE TABLE webhook_deliveries (
  delivery_id uuid PRIMARY KEY,
  endpoint_id uuid NOT NULL,
  -- The organization that has the endpoint. The activity can be of one of its sub-organizations.
  owner_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  activity_id uuid NOT NULL,
  activity_version bigint NOT NULL,
  event_type text NOT NULL,
  -- The activity as it was, if it may change. Otherwise it is in `activities`.
  record bytea,
  -- `waiting`, `delivered`, `failed`, `exhausted` or `cancelled`.
  state text NOT NULL,
  attempts bigint NOT NULL,
  -- Of a delivery that waits. While a process tries it, when another one may.
  next_attempt_at_ms bigint NOT NULL,
  last_status_code bigint,
  last_error text,
  created_at_ms bigint NOT NULL
);

CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (endpoint_id, next_attempt_at_ms)
  WHERE state = 'waiting';

CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (endpoint_id, activity_id, activity_version)
  WHERE state = 'waiting';

CREATE INDEX webhook_deliveries_of_owner ON webhook_deliveries (owner_id, created_at_ms, delivery_id);

CREATE INDEX webhook_deliveries_done ON webhook_deliveries (created_at_ms) WHERE state <> 'waiting';
