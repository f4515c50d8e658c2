-- The statement that receipts make of a large record, so that they need not read the record. It is of the
-- version beside it. A small record, or one from before, has none.
ALTER TABLE activities ADD COLUMN statement text;
ALTER TABLE activities ADD COLUMN statement_version bigint;
