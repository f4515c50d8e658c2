/** What an organization can have. A test compares it with the limits that the signer enforces. */
export const limits = {
  users: 100,
  wallets: 100,
  privateKeys: 1000,
  policies: 100,
  invitations: 100,
} as const;
