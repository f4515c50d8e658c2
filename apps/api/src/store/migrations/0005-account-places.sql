-- Accounts at the same place of a wallet have the same address: the curve, the path as it is derived,
-- and the format. On Ed25519 every step of a path is hardened, however it is written.

ALTER TABLE wallet_accounts ADD COLUMN place text;

-- A record is a header of 12 bytes, the JSON header, the length of the body, the body, and a tag.
UPDATE wallet_accounts SET place = curve || ' ' ||
    CASE curve
      WHEN 'CURVE_ED25519' THEN regexp_replace(replace(path, '''', ''), '\d+', '\&''', 'g')
      ELSE path
    END || ' ' || address_format
  FROM (
    SELECT organization_id AS o, wallet_account_id AS a,
      convert_from(substring(record FROM 17 + header FOR octet_length(record) - 48 - header), 'UTF8')
        ::json ->> 'curve' AS curve
    FROM (
      SELECT organization_id, wallet_account_id, record,
        (get_byte(record, 8) << 24) + (get_byte(record, 9) << 16) + (get_byte(record, 10) << 8)
          + get_byte(record, 11) AS header
      FROM wallet_accounts
    ) AS lengths
  ) AS bodies
  WHERE organization_id = o AND wallet_account_id = a;

-- Earlier versions stored an Ed25519 address once for each spelling of its path.
UPDATE wallet_accounts SET place = place || ' ' || wallet_account_id
  FROM (
    SELECT organization_id AS o, wallet_account_id AS a,
      row_number() OVER (
        PARTITION BY organization_id, wallet_id, place ORDER BY created_at_ms, wallet_account_id
      ) AS number
    FROM wallet_accounts
  ) AS numbered
  WHERE organization_id = o AND wallet_account_id = a AND number > 1;

ALTER TABLE wallet_accounts ALTER COLUMN place SET NOT NULL;

DROP INDEX wallet_accounts_by_place;
CREATE UNIQUE INDEX wallet_accounts_by_place ON wallet_accounts (organization_id, wallet_id, place);

-- Only accounts that have a name. An account that was created while its wallet was deleted leaves a
-- row behind, which must not keep the name from others.
CREATE TABLE wallet_account_names (
  organization_id uuid NOT NULL,
  name text NOT NULL,
  wallet_account_id uuid NOT NULL,
  PRIMARY KEY (organization_id, name, wallet_account_id)
);

CREATE INDEX wallet_account_names_by_account
  ON wallet_account_names (organization_id, wallet_account_id);
