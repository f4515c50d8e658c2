import { ApiError, invalid, shorten } from "@keyhearth/engine/errors";
import {
  AuthCode,
  CodeVerifier,
  Oauth2ClientId,
  Oauth2Nonce,
  Oauth2ProviderName,
  RedirectUri,
} from "@keyhearth/engine/fields/oauth2";
import { unshown } from "@keyhearth/engine/fields/parse";
import {
  ClientSignature,
  Email,
  OrganizationId,
  PhoneNumber,
} from "@keyhearth/engine/fields/schemas";
import { checkClientSignature } from "@keyhearth/engine/people/client-signatures";
import { oauth2CredentialsOf } from "@keyhearth/engine/people/oauth2-credentials";
import { assertMadeFor, parseOidcToken } from "@keyhearth/engine/people/oidc-tokens";
import * as z from "zod";
import { findCurrent } from "../callers/current-document.ts";
import { findAccounts } from "../store/accounts.ts";
import { type Call, defineCall, type Tools } from "./define.ts";
import {
  accountsOfContact,
  accountsOfIdToken,
  IdToken,
  readToken,
  Token,
  useOnce,
} from "./proofs.ts";
import { signup, signupV2 } from "./sign-up.ts";

const text = (most: number) =>
  z.string().min(1, "must not be empty").max(most, `must have at most ${most} characters`);

const PublicKey = text(200);
const invalidateExisting = z.boolean().optional();
const organizationId = OrganizationId.optional();

const code = z.strictObject({
  otpType: z.enum(["OTP_TYPE_EMAIL", "OTP_TYPE_SMS"], "invalid OTP type"),
  contact: text(254),
  emailCustomization: z.strictObject({ templateId: text(64).optional() }).optional(),
});

type Code = z.output<typeof code>;

const otpInit = defineCall({
  name: "otp_init",
  body: code,
  isCaptcha: true,
  async answer(tools, given) {
    const { otpId } = await sendCode(tools, given);
    return { otpId };
  },
});

const otpInitV2 = defineCall({
  name: "otp_init_v2",
  body: code,
  isCaptcha: true,
  async answer(tools, given) {
    const { otpId, otpEncryptionTargetBundle } = await sendCode(tools, given);
    return { otpId, otpEncryptionTargetBundle };
  },
});

/** Whether somebody has the contact is not looked up: everybody gets a code, and the same answer. */
async function sendCode(tools: Tools, { otpType, contact, emailCustomization }: Code) {
  const { configuration, submitFor, visitor } = tools;
  const { settings } = configuration;
  const method = otpType === "OTP_TYPE_EMAIL" ? "email" : "sms";
  if (!settings.methods.includes(method)) throw notOffered("otpType", method);
  const parsed = (method === "email" ? Email : PhoneNumber).safeParse(contact);
  if (!parsed.success) {
    const form = method === "email" ? "an email address" : "a phone number such as +14155550100";
    throw invalid("contact", `\`contact\` is not ${form}, which ${otpType} needs`);
  }
  const parameters = {
    otpType,
    contact,
    appName: settings.appName,
    otpLength: settings.otpLength,
    alphanumeric: settings.otpAlphanumeric,
    expirationSeconds: String(settings.otpExpirationSeconds),
    userIdentifier: visitor,
    ...(settings.senderName !== undefined && { sendFromEmailSenderName: settings.senderName }),
    ...(emailCustomization && { emailCustomization }),
  };
  const { result } = await tools.sendCounted(method, () =>
    submitFor(configuration, {
      endpoint: "init_otp",
      type: "ACTIVITY_TYPE_INIT_OTP_V3",
      organizationId: configuration.organizationId,
      parameters,
      resultKey: "initOtpResultV2",
    }),
  );
  return result;
}

function notOffered(field: string, method: string): ApiError {
  return new ApiError(
    "PERMISSION_DENIED",
    "FEATURE_DISABLED",
    `the organization does not list \`${method}\` in the \`methods\` of its login proxy`,
    { field },
  );
}

const otpVerify = defineCall({
  name: "otp_verify",
  body: z.strictObject({
    otpId: text(36),
    otpCode: text(64).register(unshown, {}),
    publicKey: PublicKey.optional(),
  }),
  async answer(tools, { otpId, otpCode, publicKey }) {
    if (!tools.configuration.settings.plainCodes) {
      throw new ApiError(
        "PERMISSION_DENIED",
        "FEATURE_DISABLED",
        "the code must be encrypted: call otp_verify_v2, or the organization sets `plainCodes` for older clients",
      );
    }
    if (publicKey === undefined) {
      const why = "without a key, anyone who reads the token could use it";
      throw invalid("publicKey", `\`publicKey\` is missing: ${why}`);
    }
    return verify(tools, "ACTIVITY_TYPE_VERIFY_OTP", { otpId, otpCode, publicKey });
  },
});

const otpVerifyV2 = defineCall({
  name: "otp_verify_v2",
  body: z.strictObject({ otpId: text(36), encryptedOtpBundle: text(4096).register(unshown, {}) }),
  answer: (tools, given) => verify(tools, "ACTIVITY_TYPE_VERIFY_OTP_V2", given),
});

async function verify(
  { configuration, submitFor }: Tools,
  type: string,
  given: Record<string, string>,
) {
  const { organizationId, settings } = configuration;
  const expirationSeconds = String(settings.verificationTokenExpirationSeconds);
  const { result } = await submitFor(configuration, {
    endpoint: "verify_otp",
    type,
    organizationId,
    parameters: { ...given, expirationSeconds },
    resultKey: "verifyOtpResult",
  });
  return { verificationToken: result.verificationToken };
}

const login = {
  verificationToken: Token,
  publicKey: PublicKey,
  clientSignature: ClientSignature,
  invalidateExisting,
  organizationId,
};

const otpLoginBody = z.strictObject(login);

const otpLogin = defineCall({
  name: "otp_login",
  // Every token of a proxy names a key, whose signature the core asks for.
  body: otpLoginBody,
  answer: logInByCode,
});

const otpLoginV2 = defineCall({
  name: "otp_login_v2",
  body: otpLoginBody,
  answer: logInByCode,
});

async function logInByCode(
  tools: Tools,
  { organizationId, invalidateExisting = false, ...proof }: z.output<typeof otpLoginBody>,
) {
  const { host, configuration } = tools;
  const { verificationToken, publicKey, clientSignature } = proof;
  const claims = await readToken(host, configuration, verificationToken, "verificationToken");
  const accounts = await accountsOfContact(host, configuration, claims);
  const account = chosen(accounts, organizationId, "verificationToken");
  checkClientSignature(
    { signature: clientSignature, field: "clientSignature" },
    { tokenId: claims.id, publicKey: claims.public_key },
    { type: "USAGE_TYPE_LOGIN", login: { publicKey: publicKey.toLowerCase() } },
  );
  const submission = {
    endpoint: "otp_login",
    type: "ACTIVITY_TYPE_OTP_LOGIN_V2",
    organizationId: account,
    parameters: {
      verificationToken,
      publicKey,
      clientSignature,
      expirationSeconds: String(configuration.settings.sessionExpirationSeconds),
      invalidateExisting,
    },
    resultKey: "otpLoginResult",
  };
  const { result } = await useOnce(host, configuration, verificationToken, () =>
    tools.submitFor(configuration, submission),
  );
  return { session: result.session };
}

const oauthLogin = defineCall({
  name: "oauth_login",
  body: z.strictObject({
    oidcToken: IdToken,
    publicKey: PublicKey,
    invalidateExisting,
    organizationId,
  }),
  async answer(tools, { oidcToken, publicKey, invalidateExisting = false, organizationId }) {
    const { host, configuration } = tools;
    const accounts = await accountsOfIdToken(host, configuration, oidcToken, "oidcToken");
    const account = chosen(accounts, organizationId, "oidcToken");
    const claims = parseOidcToken(oidcToken, "oidcToken", host.now());
    assertMadeFor(claims, publicKey, { token: "oidcToken", key: "publicKey" });
    const submission = {
      endpoint: "oauth_login",
      type: "ACTIVITY_TYPE_OAUTH_LOGIN",
      organizationId: account,
      parameters: {
        oidcToken,
        publicKey,
        expirationSeconds: String(configuration.settings.sessionExpirationSeconds),
        invalidateExisting,
      },
      resultKey: "oauthLoginResult",
    };
    const { result } = await useOnce(host, configuration, oidcToken, () =>
      tools.submitFor(configuration, submission),
    );
    return { session: result.session };
  },
});

/** Only an account in which the fact is proven. What somebody only stated never leads a stranger in. */
function chosen(accounts: string[], named: string | undefined, field: string): string {
  const account = named === undefined ? accounts[0] : accounts.find((id) => id === named);
  if (account !== undefined) return account;
  const where = named === undefined ? "" : ` in \`${named}\``;
  const message = `no account${where} has what \`${field}\` proves: sign up first`;
  throw new ApiError("NOT_FOUND", "NOT_FOUND", message, { field });
}

const kinds = {
  EMAIL: "VERIFIED_EMAIL",
  PHONE_NUMBER: "VERIFIED_PHONE_NUMBER",
  PUBLIC_KEY: "PUBLIC_KEY",
  CREDENTIAL_ID: "CREDENTIAL_ID",
} as const;

const filters = [...Object.keys(kinds), "OIDC_TOKEN"];

const account = defineCall({
  name: "account",
  body: z.strictObject({
    filterType: text(64),
    filterValue: IdToken,
    verificationToken: Token.optional(),
    oidcToken: IdToken.optional(),
  }),
  async answer(tools, given) {
    const [organizationId] = await findAccount(tools, given);
    return organizationId === undefined ? {} : { organizationId };
  },
});

type Sought = {
  filterType: string;
  filterValue: string;
  verificationToken?: string | undefined;
};

/** Contacts and claims say who somebody is, so they are looked up only for their owner. Keys are random. */
async function findAccount(
  { host, configuration }: Tools,
  { filterType, filterValue, verificationToken }: Sought,
): Promise<string[]> {
  const { organizationId, settings } = configuration;
  const find = (kind: (typeof kinds)[keyof typeof kinds], value: string) =>
    findAccounts(host.store.db, organizationId, { kind, value, nowMs: host.now() });
  switch (filterType) {
    case "OIDC_TOKEN":
      return accountsOfIdToken(host, configuration, filterValue, "filterValue");
    case "PUBLIC_KEY":
      if (!settings.methods.includes("wallet")) throw notOffered("filterType", "wallet");
      return find(kinds.PUBLIC_KEY, filterValue.replace(/^0x/, "").toLowerCase());
    case "CREDENTIAL_ID":
      if (!settings.methods.includes("passkey")) throw notOffered("filterType", "passkey");
      return find(kinds.CREDENTIAL_ID, filterValue);
    case "EMAIL":
    case "PHONE_NUMBER": {
      if (verificationToken !== undefined) {
        const field = "verificationToken";
        const claims = await readToken(host, configuration, verificationToken, field);
        const isOf =
          claims.contact === filterValue &&
          (filterType === "EMAIL") === (claims.verification_type === "OTP_TYPE_EMAIL");
        if (isOf) return accountsOfContact(host, configuration, claims);
        throw invalid(
          field,
          `\`${field}\` proves another contact than \`filterValue\``,
          "VERIFICATION_TOKEN_INVALID",
        );
      }
      if (settings.accountsByContact) return find(kinds[filterType], filterValue);
      throw invalid(
        "verificationToken",
        "`verificationToken` is missing: whether a contact has an account is told to whoever has read a code there",
      );
    }
    default:
      throw invalid(
        "filterType",
        `\`filterType\` is \`${shorten(filterType)}\`; this login proxy looks up ${filters.join(", ")}`,
      );
  }
}

const oauth2Authenticate = defineCall({
  name: "oauth2_authenticate",
  body: z.strictObject({
    provider: Oauth2ProviderName,
    authCode: AuthCode,
    redirectUri: RedirectUri,
    codeVerifier: CodeVerifier,
    nonce: Oauth2Nonce,
    clientId: Oauth2ClientId,
  }),
  async answer(tools, { provider, clientId, ...code }) {
    const { host, configuration, submitFor } = tools;
    const { organizationId, settings } = configuration;
    const { document } = (await findCurrent(host, organizationId)) ?? {};
    const line = oauth2CredentialsOf(document ?? {}).find(
      (each) => each.provider === provider && each.clientId === clientId,
    );
    const isOffered = Object.values(settings.oauthClientIds).includes(clientId);
    if (!line || !isOffered) throw noClient(provider, clientId);
    const { result } = await tools.askCounted(() =>
      submitFor(configuration, {
        endpoint: "oauth2_authenticate",
        type: "ACTIVITY_TYPE_OAUTH2_AUTHENTICATE",
        organizationId,
        parameters: { oauth2CredentialId: line.oauth2CredentialId, ...code },
        resultKey: "oauth2AuthenticateResult",
      }),
    );
    return { oidcToken: result.oidcToken };
  },
});

function noClient(provider: string, clientId: string): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "OAUTH2_CREDENTIAL_NOT_FOUND",
    `the organization has no credential for \`${shorten(clientId)}\` at ${provider}, or does not list it in the \`oauthClientIds\` of its login proxy`,
    { field: "clientId" },
  );
}

const walletKitConfig = defineCall({
  name: "wallet_kit_config",
  body: z.strictObject({}),
  async answer({ configuration: { organizationId, settings } }) {
    const { methods, oauthClientIds, oauthRedirectUrl } = settings;
    return {
      enabledProviders: [...methods, ...Object.keys(oauthClientIds)],
      sessionExpirationSeconds: String(settings.sessionExpirationSeconds),
      organizationId,
      oauthClientIds,
      ...(oauthRedirectUrl !== undefined && { oauthRedirectUrl }),
      otpAlphanumeric: settings.otpAlphanumeric,
      otpLength: String(settings.otpLength),
    };
  },
});

const walletKitClientParams = defineCall({
  name: "wallet_kit_client_params",
  body: z.strictObject({}),
  async answer({ configuration: { settings }, captcha }): Promise<Record<string, unknown>> {
    return settings.captcha && captcha ? { turnstileSiteKey: captcha.siteKey } : {};
  },
});

/** Every call, in the order of the contract. */
export const calls: readonly Call[] = [
  account,
  oauth2Authenticate,
  oauthLogin,
  otpInit,
  otpInitV2,
  otpLogin,
  otpLoginV2,
  otpVerify,
  otpVerifyV2,
  signup,
  signupV2,
  walletKitClientParams,
  walletKitConfig,
];
