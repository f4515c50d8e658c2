import { limitExceeded } from "../errors.ts";
import type { OrganizationDocument } from "./organization.ts";

/** Resource limits of an organization. Sub-organizations have the same limits, except for tags. */
export const LIMITS = {
  privateKeys: 1000,
  wallets: 100,
  /** Deleted accounts that the document remembers, in all wallets together. */
  deletedWalletAccounts: 1000,
  /** Requests for wallet accounts that votes decided, in all wallets together. */
  votedAccountRequests: 5000,
  votedCodes: 100,
  /** Requests that waited for votes, remembered so that they count by votes alone, in the same way as `waiting`. */
  votesOnlyPerUser: 100,
  votesOnly: 1000,
  fewVotesOnly: 10,
  users: 100,
  policies: 100,
  /** Names, values, operators and brackets in the clauses of all policies. */
  policyParts: 20_000,
  smartContractInterfaces: 100,
  tags: 100,
  subOrganizationTags: 10,
  apiKeysPerUser: 10,
  authenticatorsPerUser: 10,
  /** Those that can be accepted. Others do not count. */
  invitations: 100,
  oauthProvidersPerUser: 10,
  webhookEndpoints: 10,
  oauth2Credentials: 10,
  /** Activities that wait for votes. Users of whom only a few wait may go beyond the number for all. */
  waitingPerUser: 500,
  waiting: 1000,
  fewWaiting: 10,
  /** Requests of the last hour that changed the document, and activities that wait, in the same way. */
  changesPerUser: 1000,
  changes: 4000,
  fewChanges: 40,
  /** Changes of own credentials within an hour, without any permission. */
  ownChangesPerUser: 20,
} as const;

/** Refuses more of something than an organization may have. The noun is plural. */
export function checkLimit(
  total: number,
  max: number,
  { noun, field }: { noun: string; field: string },
) {
  if (total <= max) return;
  throw limitExceeded(field, `an organization may have ${max} ${noun}`);
}

/** Refuses one more tag. Tags of users and of private keys count together. */
export function checkTagLimit(
  { parentOrganizationId, userTags, privateKeyTags }: OrganizationDocument,
  field: string,
) {
  const max = parentOrganizationId === null ? LIMITS.tags : LIMITS.subOrganizationTags;
  checkLimit(userTags.length + privateKeyTags.length + 1, max, { noun: "tags", field });
}

/** How old the timestamp of a new request may be. Its bytes are remembered for as long. */
export const MAX_AGE_MS = 60 * 60 * 1000;
