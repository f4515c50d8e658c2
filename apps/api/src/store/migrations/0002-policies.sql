-- What decodes calls of contracts. A row outlives its line in the document: past decisions are
-- explained with it.
CREATE TABLE smart_contract_interfaces (
  organization_id uuid NOT NULL,
  smart_contract_interface_id uuid NOT NULL,
  digest text NOT NULL,
  record bytea NOT NULL,
  PRIMARY KEY (organization_id, smart_contract_interface_id)
);

-- What a denied request asked, and the document it was denied by: its trace is computed from them.
ALTER TABLE denials ADD COLUMN body text;
ALTER TABLE denials ADD COLUMN public_key text;
ALTER TABLE denials ADD COLUMN document_version bigint;
