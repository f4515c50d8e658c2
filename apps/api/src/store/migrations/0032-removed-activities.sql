-- Activities whose record was deleted because it was old, and the operator asked for that. What is left lets receipts
-- verify, and says of the same bytes, or the same id, that they were an activity.
CREATE TABLE removed_activities (
  organization_id uuid NOT NULL,
  activity_id uuid NOT NULL,
  fingerprint text NOT NULL,
  version bigint NOT NULL,
  -- What its newest receipt states: digests, ids, a type, a status and a time.
  statement text NOT NULL,
  PRIMARY KEY (organization_id, activity_id)
);
CREATE INDEX removed_activities_by_fingerprint ON removed_activities (organization_id, fingerprint);
