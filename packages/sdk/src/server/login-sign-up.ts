import type { VerificationClaims } from "@keyhearth/crypto/tokens/verification-token";
import { createSubOrganization } from "../calls/generated/calls.ts";
import type {
  ApiKeyParamsV2,
  AuthenticatorParamsV2,
  ClientSignature,
  OauthProviderParamsV2,
  WalletParams,
} from "../generated/types.ts";
import { type Body, needed, object, objects, optional, type Shape, text } from "./login-body.ts";
import type { LoginSettings } from "./login-options.ts";
import {
  accountOfContact,
  accountOfIdToken,
  accountOfKey,
  accountOfPasskey,
  claimsOf,
} from "./login-proofs.ts";
import { ProxyRefusal } from "./refusal.ts";

/** What a user may have of each kind. */
const MOST_CREDENTIALS = 10;

export function signUpShape(): Shape {
  return {
    userEmail: optional(text(254)),
    userPhoneNumber: optional(text(32)),
    userName: optional(text(255)),
    organizationName: optional(text(255)),
    verificationToken: optional(text(4096)),
    apiKeys: needed(objects(MOST_CREDENTIALS)),
    authenticators: needed(objects(MOST_CREDENTIALS)),
    oauthProviders: needed(objects(MOST_CREDENTIALS)),
    wallet: optional(object),
    clientSignature: optional(object),
  };
}

/** As the shape says. The service checks what is in these objects. */
type SignUp = {
  userEmail?: string;
  userPhoneNumber?: string;
  userName?: string;
  organizationName?: string;
  verificationToken?: string;
  apiKeys: ApiKeyParamsV2[];
  authenticators: AuthenticatorParamsV2[];
  oauthProviders: OauthProviderParamsV2[];
  wallet?: WalletParams;
  clientSignature?: ClientSignature;
};

/**
 * A key that is registered for longer could be another person's, whom it would lead into this account. So could a key of
 * any lifetime on a curve of wallets, whose keys everybody can read in blockchains.
 */
export const MOST_KEY_SECONDS = 900;

/** Anybody signs up, and the service derives each account in the time that your whole organization shares. */
export const MOST_ACCOUNTS = 5;
export const MOST_INDEXES = 5;

/** What a sign-up registers, once it is known to be of one person. */
export type CheckedSignUp = {
  given: SignUp;
  isProven: boolean;
  contact: (VerificationClaims & { field: string }) | undefined;
};

/**
 * Everything that is registered must be of the person who signs up. Nothing proves that of a public key or of a stolen
 * token, so these come alone: their owner is then the only one who can use the account (decision 26).
 */
export function readSignUp(settings: LoginSettings, body: Body): CheckedSignUp {
  // The shape was checked.
  const given = body as SignUp;
  if (settings.signUp === false) {
    throw new ProxyRefusal("FEATURE_DISABLED", "nobody signs up here: the app has closed sign-ups");
  }
  checkCredentials(settings, given);
  checkWallet(settings, given);
  const contact = given.verificationToken === undefined ? undefined : contactOf(settings, given);
  return { given, isProven: contact !== undefined || given.oauthProviders.length > 0, contact };
}

/** Asks the service whether somebody has an account with any of it. */
export async function assertNew(settings: LoginSettings, { given, contact }: CheckedSignUp) {
  if (contact && (await accountOfContact(settings, contact)) !== undefined) {
    throw hasAccount(contact.field, "contact");
  }
  for (const [index, { oidcToken = "" }] of given.oauthProviders.entries()) {
    const field = `oauthProviders[${index}].oidcToken`;
    if ((await accountOfIdToken(settings, oidcToken, field)) !== undefined) {
      throw hasAccount(field, "social login");
    }
  }
  for (const [index, { publicKey }] of given.apiKeys.entries()) {
    if ((await accountOfKey(settings, publicKey)) === undefined) continue;
    throw hasAccount(`apiKeys[${index}].publicKey`, "public key");
  }
  for (const [index, { attestation }] of given.authenticators.entries()) {
    if ((await accountOfPasskey(settings, attestation.credentialId)) === undefined) continue;
    throw hasAccount(`authenticators[${index}].attestation.credentialId`, "passkey");
  }
}

function checkCredentials({ methods }: LoginSettings, given: SignUp) {
  const { apiKeys, authenticators, oauthProviders, verificationToken } = given;
  const refuse = (field: string, why: string) => new ProxyRefusal("FIELD_INVALID", why, field);
  for (const [index, { publicKey }] of apiKeys.entries()) {
    if (typeof publicKey === "string" && /^(0x)?[0-9a-f]{1,200}$/i.test(publicKey)) continue;
    const field = `apiKeys[${index}].publicKey`;
    throw refuse(field, `\`${field}\` must be a public key in hex`);
  }
  for (const [index, { oidcToken }] of oauthProviders.entries()) {
    if (typeof oidcToken === "string" && oidcToken.length <= 16_384) continue;
    const field = `oauthProviders[${index}].oidcToken`;
    throw refuse(field, `\`${field}\` must be an ID token: claims without one prove nothing`);
  }
  for (const [index, { attestation }] of authenticators.entries()) {
    const { credentialId } = Object(attestation);
    if (typeof credentialId === "string" && /^[\w-]{1,1400}$/.test(credentialId)) continue;
    const field = `authenticators[${index}].attestation.credentialId`;
    throw refuse(field, `\`${field}\` must be base64url`);
  }
  const lasting = apiKeys.filter(isLasting);
  if (lasting.length > 0 && !methods.includes("wallet")) throw notOffered("apiKeys", "wallet");
  if (authenticators.length > 0 && !methods.includes("passkey")) {
    throw notOffered("authenticators", "passkey");
  }
  const all = apiKeys.length + authenticators.length + oauthProviders.length;
  const token = verificationToken === undefined ? 0 : 1;
  if (lasting.length > 0 && all + token > 1) {
    throw refuse(
      "apiKeys",
      `\`apiKeys\` has a key that lasts more than ${MOST_KEY_SECONDS} seconds, or one on a curve of wallets: it signs up alone, because nothing proves whose it is`,
    );
  }
  if (oauthProviders.length > 0 && all + token > 1) {
    throw refuse(
      "oauthProviders",
      "`oauthProviders` comes alone: what is registered together could be of several people; add the others after the login",
    );
  }
  const stated = given.userEmail ?? given.userPhoneNumber;
  if (stated !== undefined && token === 0) {
    const field = given.userEmail === undefined ? "userPhoneNumber" : "userEmail";
    throw refuse(
      field,
      `\`${field}\` is not proven: send the \`verificationToken\` of a code that was sent there`,
    );
  }
  if (lasting.length + authenticators.length + oauthProviders.length + token === 0) {
    throw refuse(
      "authenticators",
      "there is nothing to log in with: register a passkey, a social login, a wallet’s key or a verified contact",
    );
  }
}

/** The wallet of the options comes before that of the page, which is then not made. The service checks its shape. */
function checkWallet({ subOrganization }: LoginSettings, given: SignUp) {
  const { accounts }: { accounts?: unknown } = subOrganization?.wallet ? {} : { ...given.wallet };
  if (!Array.isArray(accounts)) return;
  const more = "for more, the app sets `subOrganization.wallet` of its handler";
  const problems: { field: string; what: string }[] = [];
  if (accounts.length > MOST_ACCOUNTS) {
    const what = `has ${accounts.length} accounts: a sign-up asks for at most ${MOST_ACCOUNTS}; ${more}, or people add accounts after the login`;
    problems.push({ field: "wallet.accounts", what });
  }
  for (const [index, account] of accounts.entries()) {
    const { path }: { path?: unknown } = { ...account };
    const indexes = typeof path === "string" ? path.split("/").length - 1 : 0;
    if (indexes <= MOST_INDEXES) continue;
    const what = `has ${indexes} indexes: a sign-up asks for at most ${MOST_INDEXES}; ${more}`;
    problems.push({ field: `wallet.accounts[${index}].path`, what });
  }
  // As many as an answer of the service lists.
  const all = problems.slice(0, 20).map(({ field, what }) => `\`${field}\` ${what}`);
  if (all.length > 0) throw new ProxyRefusal("FIELD_INVALID", all.join("; "), problems[0]?.field);
}

function isLasting({ curveType, expirationSeconds }: ApiKeyParamsV2): boolean {
  const seconds = /^\d{1,6}$/.test(String(expirationSeconds)) ? Number(expirationSeconds) : 0;
  return curveType !== "API_KEY_CURVE_P256" || seconds < 1 || seconds > MOST_KEY_SECONDS;
}

function contactOf(settings: LoginSettings, given: SignUp) {
  const claims = claimsOf(settings, given.verificationToken);
  const isEmail = claims.verification_type === "OTP_TYPE_EMAIL";
  const [field, stated, other] = isEmail
    ? (["userEmail", given.userEmail, given.userPhoneNumber] as const)
    : (["userPhoneNumber", given.userPhoneNumber, given.userEmail] as const);
  if (stated === claims.contact && other === undefined) return { ...claims, field };
  throw new ProxyRefusal(
    "FIELD_INVALID",
    `\`${field}\` must be the contact of the token, and the only contact`,
    field,
  );
}

function notOffered(field: string, method: string) {
  return new ProxyRefusal(
    "FEATURE_DISABLED",
    `\`${field}\` must be empty: the handler does not list \`${method}\` in its \`methods\``,
    field,
  );
}

function hasAccount(field: string, what: string) {
  return new ProxyRefusal(
    "ALREADY_EXISTS",
    `\`${field}\` has an account already: log in with this ${what}`,
    field,
  );
}

export async function signUp({ connection, subOrganization = {} }: LoginSettings, given: SignUp) {
  const { organizationName, wallet = given.wallet, ...disabled } = subOrganization;
  const { userName, userEmail, userPhoneNumber, verificationToken, clientSignature } = given;
  const { apiKeys, authenticators, oauthProviders } = given;
  const contact = {
    ...(userEmail === undefined ? {} : { userEmail }),
    ...(userPhoneNumber === undefined ? {} : { userPhoneNumber }),
  };
  const name = userName ?? userEmail ?? userPhoneNumber ?? "User";
  const parameters = {
    subOrganizationName:
      given.organizationName ?? organizationName ?? `Account of ${name}`.slice(0, 255),
    rootUsers: [{ userName: name, ...contact, apiKeys, authenticators, oauthProviders }],
    rootQuorumThreshold: 1,
    ...disabled,
    ...(wallet && { wallet }),
    ...(verificationToken === undefined ? {} : { verificationToken }),
    ...(clientSignature && { clientSignature }),
  };
  const options = {
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8",
    timestampMs: String(Date.now()),
    // The page verifies the account with the key that it has pinned.
    generateAppProofs: true,
  } as const;
  const made = await createSubOrganization(connection, parameters, options);
  const { subOrganizationId, rootUserIds } = made;
  // An activity that was waited for is read, which shows no statements. The same bytes are the same activity.
  const {
    id,
    result,
    votes,
    appProofs = [],
  } = made.activity.appProofs
    ? made.activity
    : await createSubOrganization.submit(connection, parameters, options);
  return {
    organizationId: subOrganizationId,
    userId: rootUserIds?.[0],
    appProofs,
    activity: {
      activityId: id,
      request: votes[0]?.message,
      result: result.createSubOrganizationResultV8,
    },
  };
}
