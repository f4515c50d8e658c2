-- A wallet may have very many accounts. A page of them, and an account by its path, are found without reading the others.
CREATE INDEX wallet_accounts_by_time
  ON wallet_accounts (organization_id, created_at_ms, wallet_account_id);
CREATE INDEX wallet_accounts_of_wallet
  ON wallet_accounts (organization_id, wallet_id, created_at_ms, wallet_account_id);
CREATE INDEX wallet_accounts_by_path ON wallet_accounts (organization_id, wallet_id, path);
