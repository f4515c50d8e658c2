-- Wallets that were deleted, and accounts of theirs are left: a commit removes some, and pruning the others.
CREATE TABLE deleted_wallets (
  organization_id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  -- Pruning has removed the accounts up to this place.
  place text NOT NULL DEFAULT '',
  PRIMARY KEY (organization_id, wallet_id)
);
