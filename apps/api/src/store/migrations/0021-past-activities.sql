-- Earlier versions of activities, for events that wait or may be sent again. A vote moves the version that it
-- replaces here, once, whatever number of endpoints get its event.
CREATE TABLE past_activities (
  organization_id uuid NOT NULL,
  activity_id uuid NOT NULL,
  version bigint NOT NULL,
  record bytea NOT NULL,
  PRIMARY KEY (organization_id, activity_id, version)
);

-- Whether the activity may get another version. Then its deliveries are looked for when it does.
ALTER TABLE webhook_deliveries ADD COLUMN may_change boolean NOT NULL DEFAULT false;

CREATE INDEX webhook_deliveries_of_version ON webhook_deliveries (activity_id, activity_version)
  WHERE may_change;
