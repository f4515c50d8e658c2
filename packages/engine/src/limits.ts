/** Resource limits of an organization. Sub-organizations have the same limits, except for tags. */
export const LIMITS = {
  privateKeys: 1000,
  wallets: 100,
  /** Deleted accounts that the document remembers, in all wallets together. */
  deletedWalletAccounts: 1000,
  users: 100,
  policies: 100,
  /** Names, values, operators and brackets in the clauses of all policies. */
  policyParts: 20_000,
  smartContractInterfaces: 100,
  tags: 100,
  subOrganizationTags: 10,
  apiKeysPerUser: 10,
  authenticatorsPerUser: 10,
} as const;
