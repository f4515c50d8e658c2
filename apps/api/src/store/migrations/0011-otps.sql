-- One-time codes that were sent: a keyed hash of each, never the code. Rows are deleted some time after the
-- code has expired.
CREATE TABLE otps (
  organization_id uuid NOT NULL,
  otp_id uuid NOT NULL,
  -- The user whom init_otp_auth sent it to. Empty for a code of init_otp.
  user_id text NOT NULL,
  expires_at_ms bigint NOT NULL,
  digest text NOT NULL,
  record bytea NOT NULL,
  PRIMARY KEY (organization_id, otp_id)
);

CREATE INDEX otps_by_expiry ON otps (expires_at_ms);
