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
import { type Call, type Described, defineCall, errorsOfCore, type Tools } from "./define.ts";
import {
  accountsOfContact,
  accountsOfIdToken,
  FilterValue,
  IdToken,
  readToken,
  Token,
  useOnce,
} from "./proofs.ts";
import { signup, signupV2 } from "./sign-up.ts";

const text = (most: number) =>
  z.string().min(1, "must not be empty").max(most, `must have at most ${most} characters`);

const EXAMPLE_KEY = "037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978";
const EXAMPLE_OTP = "3f0a1b2c-4d5e-4f60-8a1b-2c3d4e5f6071";

const PublicKey = text(200)
  .describe("Public key that the session or the token is for, compressed P-256 in hex.")
  .meta({ examples: [EXAMPLE_KEY] });
const OtpId = text(36)
  .describe("Id of the code, from `otp_init_v2`.")
  .meta({ examples: [EXAMPLE_OTP] });
const invalidateExisting = z
  .boolean()
  .describe("Whether to end the user's other sessions of the same kind.")
  .optional();
const organizationId = OrganizationId.describe(
  "The account, if the person has several. Without it, the oldest.",
).optional();

const verificationToken = { verificationToken: Token };
const Session = z.object({
  session: z.string().describe("Token of the session, a JSON Web Token."),
});
const SentCode = z.object({ otpId: OtpId });
const SentCodeV2 = SentCode.extend({
  otpEncryptionTargetBundle: z
    .string()
    .describe("Key of the signer that the code is encrypted to, with the signer’s signature."),
});

const code = z.strictObject({
  otpType: z
    .enum(["OTP_TYPE_EMAIL", "OTP_TYPE_SMS"], "invalid OTP type")
    .describe("Where the code is sent."),
  contact: text(254)
    .describe("Email address, or phone number in E.164 form.")
    .meta({ examples: ["ada@example.com"] }),
  emailCustomization: z
    .strictObject({
      templateId: text(64)
        .describe("Id of an email template that the settings list in `emailTemplates`.")
        .optional(),
    })
    .describe("What the email looks like.")
    .optional(),
});

const codeCall = {
  description:
    "Sends a code to whoever asks, with an account or without, and answers the same to both. Asks for a captcha, if the settings do.",
  body: code,
  example: { otpType: "OTP_TYPE_EMAIL", contact: "ada@example.com" },
  errors: [...errorsOfCore, "MAX_OTP_INITIATED"] as const,
  needsCaptcha: () => true,
};

type Code = z.output<typeof code>;

const otpInit = defineCall({
  ...codeCall,
  name: "otp_init",
  summary: "Send a code, earlier form",
  answers: SentCode,
  async answer(tools, given) {
    const { otpId } = await sendCode(tools, given);
    return { otpId };
  },
});

const otpInitV2 = defineCall({
  ...codeCall,
  name: "otp_init_v2",
  summary: "Send a code",
  answers: SentCodeV2,
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
  const templateId = emailCustomization?.templateId;
  if (templateId !== undefined && !settings.emailTemplates.includes(templateId)) {
    const field = "emailCustomization.templateId";
    throw invalid(
      field,
      `\`${field}\` is \`${shorten(templateId)}\`, which is not in the \`emailTemplates\` of this login proxy: leave it out for the usual email, or the organization lists it`,
    );
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
  summary: "Verify a code in the clear",
  description:
    "For older clients, and only if the settings have `plainCodes`: the host sees the code. `publicKey` is needed.",
  body: z.strictObject({
    otpId: OtpId,
    otpCode: text(64)
      .describe("The code, as the person typed it.")
      .meta({ examples: ["123456"] })
      .register(unshown, {}),
    publicKey: PublicKey.optional(),
  }),
  answers: z.object(verificationToken),
  example: { otpId: EXAMPLE_OTP, otpCode: "123456", publicKey: EXAMPLE_KEY },
  errors: [...errorsOfCore, "OTP_INVALID"],
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
  summary: "Verify a code",
  description:
    "The code and the key that the token is for are encrypted to the signer, so the host sees neither. A wrong code counts.",
  body: z.strictObject({
    otpId: OtpId,
    encryptedOtpBundle: text(4096)
      .describe("The code and the key, encrypted to `otpEncryptionTargetBundle`.")
      .register(unshown, {}),
  }),
  answers: z.object(verificationToken),
  example: { otpId: EXAMPLE_OTP, encryptedOtpBundle: "…" },
  errors: [...errorsOfCore, "OTP_INVALID"],
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

const otpLoginBody = z.strictObject({
  verificationToken: Token,
  publicKey: PublicKey,
  clientSignature: ClientSignature,
  invalidateExisting,
  organizationId,
});

const otpLoginCall = {
  description:
    "Starts a session in the account whose contact the token proves. The key that the token names signs. A token logs in once.",
  // Every token of a proxy names a key, whose signature the core asks for.
  body: otpLoginBody,
  answers: Session,
  example: {
    verificationToken: "…",
    publicKey: EXAMPLE_KEY,
    clientSignature: {
      publicKey: EXAMPLE_KEY,
      scheme: "CLIENT_SIGNATURE_SCHEME_API_P256",
      message: `{"login":{"publicKey":"${EXAMPLE_KEY}"},"tokenId":"${EXAMPLE_OTP}","type":"USAGE_TYPE_LOGIN"}`,
      signature: "00".repeat(64),
    },
  },
  errors: [
    "VERIFICATION_TOKEN_INVALID",
    "CLIENT_SIGNATURE_INVALID",
    "ACTIVITY_ALREADY_EXECUTED",
    "ALREADY_EXISTS",
    "LIMIT_EXCEEDED",
    ...errorsOfCore,
  ] as const,
  answer: logInByCode,
};

const otpLogin = defineCall({
  ...otpLoginCall,
  name: "otp_login",
  summary: "Log in with a code, earlier form",
});

const otpLoginV2 = defineCall({
  ...otpLoginCall,
  name: "otp_login_v2",
  summary: "Log in with a code",
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
  summary: "Log in with an ID token",
  description:
    "Starts a session in the account of the social login. The token’s nonce is the SHA-256 of the public key in hex, and it logs in once.",
  body: z.strictObject({
    oidcToken: IdToken,
    publicKey: PublicKey,
    invalidateExisting,
    organizationId,
  }),
  answers: Session,
  example: { oidcToken: "…", publicKey: EXAMPLE_KEY },
  errors: ["OIDC_TOKEN_INVALID", "ACTIVITY_ALREADY_EXECUTED", "LIMIT_EXCEEDED", ...errorsOfCore],
  async answer(tools, { oidcToken, publicKey, invalidateExisting = false, organizationId }) {
    const { host, configuration } = tools;
    const accounts = await accountsOfIdToken(tools, oidcToken, "oidcToken");
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
  summary: "Find an account",
  description:
    "Tells whoever proves a contact or a social login, or knows a public key or a credential id, which account has it.",
  body: z.strictObject({
    filterType: text(64)
      .describe("`EMAIL`, `PHONE_NUMBER`, `OIDC_TOKEN`, `PUBLIC_KEY` or `CREDENTIAL_ID`.")
      .meta({ examples: ["PUBLIC_KEY"] }),
    filterValue: FilterValue,
    verificationToken: Token.describe(
      "Proves the contact. Needed for contacts, unless the settings have `accountsByContact`.",
    )
      .register(unshown, {})
      .optional(),
    oidcToken: IdToken.describe("Not read: the token is the `filterValue`.")
      .register(unshown, {})
      .optional(),
  }),
  answers: z.object({
    organizationId: OrganizationId.describe("The account, if there is one.").optional(),
  }),
  example: { filterType: "PUBLIC_KEY", filterValue: EXAMPLE_KEY },
  errors: ["FEATURE_DISABLED", "OIDC_TOKEN_INVALID", "VERIFICATION_TOKEN_INVALID"],
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
  tools: Tools,
  { filterType, filterValue, verificationToken }: Sought,
): Promise<string[]> {
  const { host, configuration } = tools;
  const { organizationId, settings } = configuration;
  const find = (kind: (typeof kinds)[keyof typeof kinds], value: string) =>
    findAccounts(host.store.db, organizationId, { kind, value, nowMs: host.now() });
  switch (filterType) {
    case "OIDC_TOKEN":
      return accountsOfIdToken(tools, filterValue, "filterValue");
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
  summary: "Exchange a code of X or Discord",
  description:
    "The signer exchanges the code at a provider that only speaks OAuth 2.0, and answers with an ID token of its own.",
  answers: z.object({ oidcToken: IdToken }),
  example: {
    provider: "OAUTH2_PROVIDER_X",
    authCode: "NhhvTDYsFcdgNLnnLijcl7Ku7bEEeee",
    redirectUri: "https://app.example.com/callback",
    codeVerifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    nonce: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    clientId: "1029384756",
  },
  errors: [
    "OAUTH2_CREDENTIAL_NOT_FOUND",
    "OAUTH2_PROVIDER_NOT_CONFIGURED",
    "OAUTH2_EXCHANGE_FAILED",
    ...errorsOfCore,
  ],
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
  summary: "Read what the proxy offers",
  description: "What the organization has set, for the form that people log in with.",
  body: z.strictObject({}),
  answers: z.object({
    enabledProviders: z
      .array(z.string())
      .describe("The ways to log in: `email`, `sms`, `passkey`, `wallet`, and names of providers.")
      .meta({ examples: [["email", "passkey", "google"]] }),
    sessionExpirationSeconds: z
      .string()
      .describe("How long sessions of the proxy last, a decimal string.")
      .meta({ examples: ["900"] }),
    organizationId: OrganizationId,
    oauthClientIds: z
      .record(z.string(), z.string())
      .describe("The application’s client id at each provider.")
      .meta({ examples: [{ google: "1029384756.apps.example.com" }] }),
    oauthRedirectUrl: z
      .string()
      .describe("Where providers send people back to.")
      .meta({ examples: ["https://app.example.com/callback"] })
      .optional(),
    otpAlphanumeric: z.boolean().describe("Whether codes have letters."),
    otpLength: z
      .string()
      .describe("Length of codes, a decimal string.")
      .meta({ examples: ["9"] }),
  }),
  example: {},
  errors: [],
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
  summary: "Read how to show the captcha",
  description: "Answers with no field if the settings ask for no captcha.",
  body: z.strictObject({}),
  answers: z.object({
    turnstileSiteKey: z
      .string()
      .describe("Key with which pages show the captcha of the operator’s provider.")
      .meta({ examples: ["0x4AAAAAAAExample"] })
      .optional(),
  }),
  example: {},
  errors: [],
  async answer({ configuration: { settings }, captcha }): Promise<Record<string, unknown>> {
    return settings.captcha && captcha ? { turnstileSiteKey: captcha.siteKey } : {};
  },
});

/** The one call that needs no settings: the person who switches the proxy on asks for the key first. */
export const publicKeyCall: Described = {
  name: "public_key",
  summary: "Read the proxy’s public key",
  description:
    "The key that `FEATURE_NAME_AUTH_PROXY` registers, for the organization in the header. Any page or program may ask, before the proxy is switched on too.",
  body: z.strictObject({}),
  answers: z.object({ publicKey: PublicKey.describe("Compressed P-256 public key in hex.") }),
  example: {},
  errors: [],
};

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
