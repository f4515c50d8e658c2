-- Interfaces that decode contract calls. A row outlives its line in the document, because past
-- decisions are explained with it.
CREATE TABLE smart_contract_interfaces (
  organization_id uuid NOT NULL,
  smart_contract_interface_id uuid NOT NULL,
  digest text NOT NULL,
  record bytea NOT NULL,
  PRIMARY KEY (organization_id, smart_contract_interface_id)
);

-- The body of a denied request and the document that denied it. Its trace is computed from them.
ALTER TABLE denials ADD COLUMN body text;
ALTER TABLE denials ADD COLUMN public_key text;
ALTER TABLE denials ADD COLUMN document_version bigint;
