import { errorDetails, grpcCode } from "@keyhearth/engine/errors";
import type { Feature, FeatureName } from "@keyhearth/engine/fields/schemas";
import { countedApprovals, lapseOf } from "@keyhearth/engine/policies/approvals";
import type { ActivityRecord, Vote } from "@keyhearth/engine/records/activity";
import type {
  ApiKey,
  Oauth2CredentialLine,
  OauthProvider,
  OrganizationDocument,
  Policy,
  PrivateKeyLine,
  SmartContractInterfaceLine,
  Authenticator as StoredAuthenticator,
  Feature as StoredFeature,
  Tag as StoredTag,
  User,
  WalletLine,
} from "@keyhearth/engine/records/organization";
import type { PrivateKey } from "@keyhearth/engine/records/private-key";
import { isEpochOf, isLive, type SessionEntry } from "@keyhearth/engine/records/sessions";
import type { SmartContractInterface } from "@keyhearth/engine/records/smart-contract-interface";
import type { WalletAccount } from "@keyhearth/engine/records/wallet-account";
import { showActivity, showTimestamp } from "@keyhearth/engine/shown/show-activity";
import type * as z from "zod";
import type { Warning } from "../policies/warnings.ts";
import type * as objects from "../wire/objects.ts";
import type { ShownActivity, ShownUser } from "../wire/objects.ts";
import { caip2PrefixOf } from "./caip2-prefix.ts";

/** Records as the API shows them. All functions are pure, and the order of keys is the wire's. */

// A record holds what the schema of its activity accepted when it was made.
type Curve = ShownAccount["curve"];
type AddressFormat = ShownAccount["addressFormat"];
type ShownAccount = z.output<typeof objects.WalletAccount>;

export type ActivityView = {
  activity: ActivityRecord;
  /** The organization's current document, which says whose votes count. */
  document: OrganizationDocument;
  /** The voter, from the document version that the vote names. */
  voterOf: (vote: Vote) => User | undefined;
  /** The user who sent the request. */
  viewer: User | null;
  /** Whether an approval or a rejection by the viewer can count. */
  mayVote: boolean;
  mayReject: boolean;
  /** Warnings about the policies that it creates or changes. */
  warnings: Warning[];
  nowMs: number;
};

export function renderActivity(
  view: ActivityView,
  userOf = (vote: Vote) => renderVoter(vote, view.voterOf),
): ShownActivity {
  const { activity, document, viewer, warnings } = view;
  const shown = showActivity(activity, {
    organizationId: document.organizationId,
    viewerId: viewer?.userId ?? null,
    userOf,
    ...viewerChoices(view),
  });
  const failure = shown.failure ?? lapseShown(view);
  return { ...shown, failure, ...(warnings.length > 0 && { warnings }) };
}

/** Why votes no longer decide an activity. Its status stays what the signer has stated of it. */
function lapseShown({ activity, document }: ActivityView): ShownActivity["failure"] {
  if (activity.status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED") return null;
  const lapse = lapseOf(activity, document);
  if (!lapse) return null;
  const { code, message } = lapse;
  return { code: grpcCode(code), message, details: errorDetails(lapse) };
}

/** The user of a vote, from the document version that it names. */
export function renderVoter(vote: Vote, voterOf: ActivityView["voterOf"]): ShownUser {
  const user = voterOf(vote);
  if (!user) throw new Error(`no document version holds the voter of vote ${vote.voteId}`);
  return renderUser(user);
}

/** A user's entries in the sessions record, and the time for which to check them. */
export type Expiring = { sessionEntries: SessionEntry[]; nowMs: number };

export function renderUser(user: User, expiring?: Expiring): ShownUser {
  const { userId, userName, userEmail, userPhoneNumber, userTags } = user;
  return {
    userId,
    userName,
    ...(userEmail === null ? {} : { userEmail }),
    ...(userPhoneNumber === null ? {} : { userPhoneNumber }),
    authenticators: user.authenticators.map((each) => renderAuthenticator(each)),
    apiKeys: renderApiKeys(user, expiring),
    userTags,
    oauthProviders: user.oauthProviders.map(renderOauthProvider),
    createdAt: renderTimestamp(user.createdAtMs),
    updatedAt: renderTimestamp(user.updatedAtMs),
    mfaPolicies: [],
  };
}

/** The user's long-lived keys and, if `expiring` is given, the expiring keys that are still valid. */
export function renderApiKeys(user: User, expiring?: Expiring): z.output<typeof objects.ApiKey>[] {
  const longLived = user.apiKeys.map(renderApiKey);
  return expiring
    ? [...longLived, ...liveEntries(user, expiring).map(renderSessionEntry)]
    : longLived;
}

/** Keys that are still valid: neither expired nor from an earlier epoch. */
function liveEntries(user: User, { sessionEntries, nowMs }: Expiring): SessionEntry[] {
  return sessionEntries.filter((entry) => isEpochOf(user, entry) && isLive(entry, nowMs));
}

/** `lastUsedAtMs` is the host's own note. */
export function renderAuthenticator(
  authenticator: StoredAuthenticator,
  lastUsedAtMs?: number,
): z.output<typeof objects.Authenticator> {
  const { transports, attestationType, aaguid, credentialId, credential } = authenticator;
  return {
    // They are what the schema of registrations accepted.
    transports: transports as z.output<typeof objects.Authenticator>["transports"],
    attestationType,
    aaguid,
    credentialId,
    model: modelOf(authenticator),
    credential,
    authenticatorId: authenticator.authenticatorId,
    authenticatorName: authenticator.authenticatorName,
    createdAt: renderTimestamp(authenticator.createdAtMs),
    updatedAt: renderTimestamp(authenticator.updatedAtMs),
    ...(lastUsedAtMs === undefined ? {} : { lastUsedAt: renderTimestamp(lastUsedAtMs) }),
  };
}

/** What the authenticator is, as far as its transports say so. */
function modelOf({ transports }: StoredAuthenticator): string {
  if (transports.includes("AUTHENTICATOR_TRANSPORT_INTERNAL")) return "Built-in authenticator";
  if (transports.includes("AUTHENTICATOR_TRANSPORT_HYBRID")) return "Phone or tablet";
  return "Security key";
}

function renderApiKey({
  credential: { publicKey, type },
  apiKeyId,
  apiKeyName,
  createdAtMs,
  updatedAtMs,
}: ApiKey): z.output<typeof objects.ApiKey> {
  return {
    credential: { publicKey, type },
    apiKeyId,
    apiKeyName,
    createdAt: renderTimestamp(createdAtMs),
    updatedAt: renderTimestamp(updatedAtMs),
  };
}

function renderSessionEntry(entry: SessionEntry): z.output<typeof objects.ApiKey> {
  const apiKey = renderApiKey({ ...entry, updatedAtMs: entry.createdAtMs });
  return { ...apiKey, expirationSeconds: String(entry.expirationSeconds) };
}

export function renderOauthProvider({
  providerId,
  providerName,
  issuer,
  audience,
  subject,
  createdAtMs,
  updatedAtMs,
}: OauthProvider): z.output<typeof objects.OauthProvider> {
  return {
    providerId,
    providerName,
    issuer,
    audience,
    subject,
    createdAt: renderTimestamp(createdAtMs),
    updatedAt: renderTimestamp(updatedAtMs),
  };
}

export function renderWallet(line: WalletLine): z.output<typeof objects.Wallet> {
  return {
    walletId: line.walletId,
    walletName: line.walletName,
    createdAt: renderTimestamp(line.createdAtMs),
    updatedAt: renderTimestamp(line.updatedAtMs),
    exported: line.exported,
    imported: line.imported,
  };
}

/** `wallet` is the account's wallet, if the request asked for its details. */
export function renderWalletAccount(
  account: WalletAccount,
  { organizationId, wallet }: { organizationId: string; wallet?: WalletLine | undefined },
): ShownAccount {
  const caip2Prefix = caip2PrefixOf(account.addressFormat);
  return {
    walletAccountId: account.walletAccountId,
    organizationId,
    walletId: account.walletId,
    curve: account.curve as Curve,
    pathFormat: account.pathFormat,
    path: account.path,
    addressFormat: account.addressFormat as AddressFormat,
    address: account.address,
    createdAt: renderTimestamp(account.createdAtMs),
    updatedAt: renderTimestamp(account.createdAtMs),
    publicKey: account.publicKey,
    ...(wallet ? { walletDetails: renderWallet(wallet) } : {}),
    ...(account.name === null ? {} : { name: account.name }),
    ...(caip2Prefix === undefined ? {} : { caip2Prefix }),
    proof: account.proof,
  };
}

/** A record, maybe without its proofs. */
export type ShownKey = Pick<PrivateKey, "publicKey"> & {
  addresses: (Omit<KeyAddress, "proof"> & Partial<Pick<KeyAddress, "proof">>)[];
};
type KeyAddress = PrivateKey["addresses"][number];

export function renderPrivateKey(
  line: PrivateKeyLine,
  record: ShownKey,
): z.output<typeof objects.PrivateKey> {
  return {
    privateKeyId: line.privateKeyId,
    publicKey: record.publicKey,
    privateKeyName: line.privateKeyName,
    curve: line.curve as Curve,
    addresses: record.addresses.map(({ format, address, proof }) => ({
      format: format as AddressFormat,
      address,
      ...(proof && { proof }),
    })),
    privateKeyTags: line.privateKeyTags,
    createdAt: renderTimestamp(line.createdAtMs),
    updatedAt: renderTimestamp(line.updatedAtMs),
    exported: line.exported,
    imported: line.imported,
  };
}

export function renderTag(
  tagType: z.output<typeof objects.Tag>["tagType"],
  { tagId, tagName, createdAtMs, updatedAtMs }: StoredTag,
): z.output<typeof objects.Tag> {
  return {
    tagId,
    tagName,
    tagType,
    createdAt: renderTimestamp(createdAtMs),
    updatedAt: renderTimestamp(updatedAtMs),
  };
}

export function renderPolicy(policy: Policy): z.output<typeof objects.Policy> {
  const { policyId, policyName, effect, notes, consensus, condition, time } = policy;
  return {
    policyId,
    policyName,
    effect,
    createdAt: renderTimestamp(policy.createdAtMs),
    updatedAt: renderTimestamp(policy.updatedAtMs),
    notes,
    // Released clients cannot read a list of policies in which one of these is missing.
    consensus: consensus ?? "",
    condition: condition ?? "",
    ...(time === null ? {} : { time }),
  };
}

export function renderSmartContractInterface(
  organizationId: string,
  line: SmartContractInterfaceLine,
  { text }: Pick<SmartContractInterface, "text">,
): z.output<typeof objects.SmartContractInterface> {
  return {
    organizationId,
    smartContractInterfaceId: line.smartContractInterfaceId,
    smartContractAddress: line.smartContractAddress,
    smartContractInterface: text,
    type: line.type,
    label: line.label,
    notes: line.notes,
    createdAt: renderTimestamp(line.createdAtMs),
    updatedAt: renderTimestamp(line.updatedAtMs),
  };
}

export function renderOauth2Credential(
  organizationId: string,
  line: Oauth2CredentialLine,
): z.output<typeof objects.Oauth2Credential> {
  return {
    oauth2CredentialId: line.oauth2CredentialId,
    organizationId,
    provider: line.provider,
    clientId: line.clientId,
    encryptedClientSecret: line.encryptedClientSecret,
    createdAt: renderTimestamp(line.createdAtMs),
    updatedAt: renderTimestamp(line.updatedAtMs),
  };
}

export function renderFeature({ name, value }: StoredFeature): z.output<typeof Feature> {
  return { name: name as FeatureName, ...(value === null ? {} : { value }) };
}

export function renderTimestamp(ms: number): z.output<typeof objects.Timestamp> {
  return showTimestamp(ms);
}

/** A user who approved can still change their mind and reject, but cannot approve twice. */
function viewerChoices(view: ActivityView) {
  const { activity, document, viewer, mayVote, mayReject, nowMs } = view;
  const isWaiting = activity.status === "ACTIVITY_STATUS_CONSENSUS_NEEDED";
  if (!isWaiting || !viewer || !mayVote) return { canApprove: false, canReject: false };
  const hasApproved = countedApprovals(activity, document, nowMs).some(
    ({ user }) => user.userId === viewer.userId,
  );
  return { canApprove: !hasApproved, canReject: mayReject };
}
