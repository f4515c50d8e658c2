-- The result of an activity that the signer kept back until it knew of the commit, as it was released.
-- Null until then, and for every other activity, whose result is in its record.
ALTER TABLE activities ADD COLUMN released text;
