-- The installation that this database belongs to. The signer's keyring has the same id.
CREATE TABLE installation (
  singleton integer PRIMARY KEY CHECK (singleton = 1),
  installation_id uuid NOT NULL
);

-- Always empty. After the disk was full, writing here shows whether it has space again. The text is
-- stored as it is: compressed it would need no space.
CREATE TABLE disk_probe (filler text NOT NULL);
ALTER TABLE disk_probe ALTER COLUMN filler SET STORAGE PLAIN;
