import type { Curve } from "@keyhearth/crypto/keys/keys";
import { userNotFound } from "../errors.ts";
import type { CredentialType } from "../fields/logins.ts";
import type { Oauth2Provider } from "../fields/oauth2.ts";
import type { Sealed } from "../vault/seal.ts";
import type { RecordKind } from "./kind.ts";
import type { VotesOnlyLine } from "./votes-only.ts";

/**
 * The organization document: everything about which the host must not be able to lie to the core. A
 * record that it does not list does not exist. If the host does not bring a listed record, that is
 * an error.
 */
export type OrganizationDocument = {
  organizationId: string;
  organizationName: string;
  /** Null for a top-level organization. A sub-organization's parent never changes. */
  parentOrganizationId: string | null;
  /** The digest of the document that this one replaces. Null in the first one. */
  previousDigest: string | null;
  /**
   * The version with the same users and policies, if this one changed the lists of activities alone. Votes name
   * it, so that showing an activity reads few versions. Null if it is this version.
   */
  shownVersion: number | null;
  /**
   * Set in a first document that votes decided. It counts only if the document of its parent that lists it was
   * confirmed.
   */
  isVoted?: true;
  /**
   * The first documents that votes decided in this version's proposal. Confirming this version confirms them. One
   * that votes rejected has a digest of zeros.
   */
  founds?: FoundedLine[] | undefined;
  createdAtMs: number;
  updatedAtMs: number;
  users: User[];
  userTags: Tag[];
  privateKeyTags: Tag[];
  rootQuorum: Quorum;
  features: Feature[];
  invitations: InvitationLine[];
  wallets: WalletLine[];
  privateKeys: PrivateKeyLine[];
  /** Keys to which users encrypt imports: at most one for each user and purpose. */
  imports: ImportLine[];
  policies: Policy[];
  smartContractInterfaces: SmartContractInterfaceLine[];
  /** Where the host reports activities. */
  webhookEndpoints: WebhookEndpointLine[];
  /** The organization at providers that only speak OAuth 2.0. Absent if there never was one. */
  oauth2Credentials?: Oauth2CredentialLine[];
  /** Activities that ended, for as long as their request could be repeated. */
  closed: ClosedLine[];
  /** Names the codes that votes decided, until they expire. Others that votes decided do not count. */
  votedCodes?: { value: string; untilMs: number }[];
  /** Requests that count by votes alone, because they waited for votes. */
  votesOnly?: VotesOnlyLine[] | undefined;
  /** Contacts, identities and keys that users lost, as digests, and until when others may have been lost. */
  endedUsers?: { lines: { digest: string; atMs: number }[]; floorMs: number };
  /** Activities that wait for votes. What is not listed takes none, whatever its record says. */
  waiting: WaitingLine[];
  /** Set once the organization was deleted. Nobody can do anything in it from then on. */
  deletedAtMs: number | null;
};

/** A sub-organization, and the digest of its first document. */
export type FoundedLine = { organizationId: string; digest: string };

export type ClosedLine = {
  fingerprint: string;
  untilMs: number;
  /** The user whose request made the change. Null in lines from before this was stored. */
  userId: string | null;
  /** A change of the user's own credentials, which needed no permission. */
  isOwn: boolean;
};

/** Names the committed state of an activity: other proposals of it, and of votes on it, have other ones. */
export type WaitingLine = {
  fingerprint: string;
  /** As in the activity's record. */
  state: string;
  /** The user who started the activity. */
  userId: string;
};

export type User = {
  userId: string;
  userName: string;
  userEmail: string | null;
  /** Whether somebody has proved that they read mail at the address. */
  isEmailVerified: boolean;
  userPhoneNumber: string | null;
  isPhoneNumberVerified: boolean;
  apiKeys: ApiKey[];
  authenticators: Authenticator[];
  oauthProviders: OauthProvider[];
  userTags: string[];
  /** Replaced to end all of the user's sessions. Session entries of any other epoch are invalid. */
  sessionEpoch: number;
  /** When the epoch began. Logins that were stamped before then are refused. */
  sessionEpochStartedAtMs: number;
  /** Absent if tokens of social logins must have been issued after the epoch began. */
  tokensCountAfterMs?: number;
  /** Epochs of expiring keys that count only because this document registers them: at most ten. */
  keyEpochs: KeyEpoch[];
  createdAtMs: number;
  updatedAtMs: number;
};

export type KeyEpoch = {
  epoch: number;
  untilMs: number;
  /** Of the key that recovers the user. There is at most one. */
  isRecovery?: boolean;
};

/**
 * Set if a user of a top-level organization registered the credential without a permission: anyone can state a
 * public key or credential id of somebody else. Absent if a policy or the root quorum decided.
 */
type Stated = { isStated?: true };

/** A long-lived API key. Expiring keys are entries in the user's sessions record. */
export type ApiKey = Stated & {
  apiKeyId: string;
  apiKeyName: string;
  credential: { publicKey: string; type: CredentialType };
  createdAtMs: number;
  updatedAtMs: number;
};

/** A passkey. */
export type Authenticator = Stated & {
  authenticatorId: string;
  authenticatorName: string;
  /** Base64url, as the authenticator chose it. */
  credentialId: string;
  /** The public key is a COSE key (RFC 9052) in base64url. */
  credential: { publicKey: string; type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR" };
  /** The same for every encoding of the public key, so that no two users can register it. */
  keyName: string;
  transports: string[];
  /** The format of the attestation statement at registration, such as `none`. */
  attestationType: string;
  /** The 16 bytes that name the authenticator's model, in base64url. */
  aaguid: string;
  createdAtMs: number;
  updatedAtMs: number;
};

/** A social login: anyone who presents a token with these claims is the user. */
export type OauthProvider = {
  providerId: string;
  providerName: string;
  issuer: string;
  audience: string;
  subject: string;
  /** A token of the issuer proved it. Absent if somebody only stated it. */
  isProven?: true;
  createdAtMs: number;
  updatedAtMs: number;
};

/** Whom a token of an OpenID Connect provider is about. */
export type Identity = Pick<OauthProvider, "issuer" | "audience" | "subject">;

export type AccessType = "ACCESS_TYPE_WEB" | "ACCESS_TYPE_API" | "ACCESS_TYPE_ALL";

/** Anyone who proves that they have the token of the invitation may become a user, once. */
export type InvitationLine = {
  invitationId: string;
  /** The id that the new user will have. */
  userId: string;
  receiverUserName: string;
  receiverUserEmail: string;
  receiverUserTags: string[];
  accessType: AccessType;
  senderUserId: string;
  /** The user whose request created the invitation, whoever it names as the sender. */
  creatorUserId: string;
  /**
   * What the token is derived from, with the signer's key, in base64url. The mail alone contains the token.
   * Null in lines from before this was stored, which nobody can accept.
   */
  tokenSalt: string | null;
  createdAtMs: number;
  updatedAtMs: number;
};

export type Tag = { tagId: string; tagName: string; createdAtMs: number; updatedAtMs: number };

export type Quorum = { threshold: number; userIds: string[] };

export type Feature = { name: string; value: string | null };

export type WalletLine = {
  walletId: string;
  walletName: string;
  /** Places whose account was deleted, in the order of deletion. Limited in number. */
  deletedAccounts: DeletedAccount[];
  exported: boolean;
  imported: boolean;
  /** Recognizes the seed when it is imported again. Null until it is exported or imported. */
  seedDigest: string | null;
  /** Ids of the accounts whose key was exported alone. */
  exportedAccountIds: string[];
  /** Names the requests for accounts that votes decided. Other accounts that say so do not count. */
  votedAccounts?: string[];
  createdAtMs: number;
  updatedAtMs: number;
};

/**
 * The document does not list accounts, so it remembers deleted ones, the last of each place. Records
 * that were made for the place until then do not count, committed or not.
 */
export type DeletedAccount = {
  walletAccountId: string;
  place: string;
  atMs: number;
  /** The first version of the document that says so. 0 in lines from before this was stored. */
  documentVersion: number;
  /**
   * Requests that were stamped until then create no account there again: five minutes after the deletion
   * took effect, because a client may stamp that far ahead.
   */
  requestedAtMs: number;
};

export type PrivateKeyLine = {
  privateKeyId: string;
  privateKeyName: string;
  curve: Curve;
  /** As in the key's record. Null until the key is exported or imported: nobody else has it. */
  publicKey: string | null;
  privateKeyTags: string[];
  exported: boolean;
  imported: boolean;
  createdAtMs: number;
  updatedAtMs: number;
};

export type ImportPurpose = "wallet" | "private-key";

/** A key to which one user encrypts one import. It works once, and until it expires. */
export type ImportLine = {
  userId: string;
  purpose: ImportPurpose;
  /** In hex, uncompressed. */
  targetPublicKey: string;
  /** Null once it was used. */
  sealedKey: Sealed | null;
  expiresAtMs: number;
};

/** A policy of the organization. A clause that is null is always true. */
export type Policy = {
  policyId: string;
  policyName: string;
  effect: "EFFECT_ALLOW" | "EFFECT_DENY";
  condition: string | null;
  consensus: string | null;
  time: string | null;
  notes: string;
  createdAtMs: number;
  updatedAtMs: number;
};

export type SmartContractInterfaceLine = {
  smartContractInterfaceId: string;
  /** As it was given. Ethereum addresses match in any case. */
  smartContractAddress: string;
  type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM" | "SMART_CONTRACT_INTERFACE_TYPE_SOLANA";
  label: string;
  notes: string;
  /** Hex SHA-256 of the interface's text. The text is in a separate record. */
  digest: string;
  createdAtMs: number;
  updatedAtMs: number;
};

export type WebhookEndpointLine = {
  endpointId: string;
  url: string;
  endpointName: string;
  isActive: boolean;
  subscriptions: { eventType: string; filtersJson: string | null; isActive: boolean }[];
  createdAtMs: number;
  updatedAtMs: number;
};

/** A client of a provider that only speaks OAuth 2.0, with its secret. */
export type Oauth2CredentialLine = {
  oauth2CredentialId: string;
  provider: Oauth2Provider;
  clientId: string;
  /** As the client encrypted it to the quorum key, in hex. Only the core opens it. */
  encryptedClientSecret: string;
  createdAtMs: number;
  updatedAtMs: number;
};

export const organization: RecordKind<OrganizationDocument> & { type: "organization" } = {
  type: "organization",
  schema: 10,
  upcasts: {
    // Schema 1 did not remember decided activities.
    1: (body) => ({ decided: [], decidedBeforeMs: 0, ...body }),
    // Schema 2 had no policies.
    2: (body) => ({ policies: [], smartContractInterfaces: [], ...body }),
    // Schema 3 did not say whose activities the document remembered.
    3: (body) => ({
      ...body,
      closed: linesOf(body.closed).map((line) => ({ ...line, userId: null, isOwn: false })),
      decided: linesOf(body.decided).map((line) => ({ ...line, userId: null })),
      lapsed: [],
    }),
    // Schema 4 had no deleted accounts, and nothing was exported or imported.
    4: (body) => ({
      ...body,
      wallets: linesOf(body.wallets).map((line) => ({ ...line, deletedAccounts: [] })),
      privateKeys: linesOf(body.privateKeys).map((line) => ({ ...line, publicKey: null })),
    }),
    // In schema 5, nothing was exported or imported.
    5: (body) => ({
      ...body,
      wallets: linesOf(body.wallets).map((line) => ({
        ...line,
        seedDigest: null,
        exportedAccountIds: [],
      })),
      imports: [],
    }),
    // Schema 6 knew deletions by their time alone.
    6: (body) => ({
      ...body,
      wallets: linesOf(body.wallets).map((line) => ({
        ...line,
        deletedAccounts: linesOf("deletedAccounts" in line && line.deletedAccounts).map((each) => {
          return { ...each, documentVersion: 0 };
        }),
      })),
    }),
    // Users of schema 7 had API keys only, and organizations were not deleted.
    7: (body) => ({
      ...body,
      users: linesOf(body.users).map((user) => ({
        ...user,
        authenticators: [],
        oauthProviders: [],
        sessionEpochStartedAtMs: 0,
        keyEpochs: [],
      })),
      invitations: [],
      deletedAtMs: null,
    }),
    // In schema 8, nobody had proved a contact, and there were no webhook endpoints.
    8: (body) => ({
      ...body,
      users: linesOf(body.users).map((user) => ({
        ...user,
        isEmailVerified: false,
        isPhoneNumberVerified: false,
      })),
      webhookEndpoints: [],
    }),
    // Schema 9 remembered activities that were decided, and did not list those that wait. The tokens of its
    // invitations were random, and their digests prove nothing about a passkey.
    9: ({ decided: _, decidedBeforeMs: _before, lapsed: _lapsed, ...body }) => ({
      ...body,
      shownVersion: null,
      invitations: withoutTokens(body.invitations),
      waiting: [],
    }),
  },
};

function withoutTokens(invitations: unknown): object[] {
  return linesOf(invitations).map((line) => {
    const { tokenDigest: _, ...rest } = line as { tokenDigest?: unknown };
    return { ...rest, tokenSalt: null };
  });
}

function linesOf(list: unknown): object[] {
  return Array.isArray(list) ? list : [];
}

type NewOrganization = Pick<
  OrganizationDocument,
  "organizationId" | "organizationName" | "createdAtMs" | "users" | "rootQuorum"
> &
  Partial<OrganizationDocument>;

/** The first document of an organization. Anything that is not given is empty. */
export function newOrganizationDocument(given: NewOrganization): OrganizationDocument {
  const { organizationId, organizationName, createdAtMs, users, rootQuorum } = given;
  const others: Partial<OrganizationDocument> = given;
  return {
    organizationId,
    organizationName,
    parentOrganizationId: null,
    previousDigest: null,
    shownVersion: null,
    createdAtMs,
    updatedAtMs: createdAtMs,
    users,
    userTags: [],
    privateKeyTags: [],
    rootQuorum,
    features: [],
    invitations: [],
    wallets: [],
    privateKeys: [],
    imports: [],
    policies: [],
    smartContractInterfaces: [],
    webhookEndpoints: [],
    closed: [],
    waiting: [],
    deletedAtMs: null,
    ...others,
  };
}

/**
 * 1 MiB, without what has limits of its own. A document is parsed as a whole, so its size limits the
 * work for one request.
 */
export const MAX_DOCUMENT_BYTES = 1024 * 1024;

/**
 * The document without what users may add to it without permission, and without what it remembers of
 * activities, codes and losses. All of that is limited in number, so it takes no room from what the organization keeps, and
 * a full document refuses no vote.
 */
export function withoutOwnParts(document: OrganizationDocument): OrganizationDocument {
  return {
    ...document,
    users: document.users.map((user) => ({
      ...user,
      apiKeys: [],
      authenticators: [],
      oauthProviders: [],
      sessionEpoch: 0,
      sessionEpochStartedAtMs: 0,
      tokensCountAfterMs: undefined,
      keyEpochs: [],
      isEmailVerified: false,
      isPhoneNumberVerified: false,
      updatedAtMs: 0,
    })),
    closed: [],
    waiting: [],
    votedCodes: undefined,
    votesOnly: undefined,
    endedUsers: undefined,
  };
}

export function findUser(document: OrganizationDocument, userId: string): User | undefined {
  return document.users.find((user) => user.userId === userId);
}

/** The user whom a field of a request names. */
export function requireUser(
  document: OrganizationDocument,
  userId: string,
  field = "parameters.userId",
): User {
  const user = findUser(document, userId);
  if (!user) throw userNotFound(field, userId, document.organizationId);
  return user;
}
