import { ApiError, checkAll, checkEach, invalid } from "@keyhearth/engine/errors";
import {
  ApiKeyParamsV2,
  AuthenticatorParamsV2,
  OauthProviderParams,
  OauthProviderParamsV2,
} from "@keyhearth/engine/fields/credentials";
import {
  ClientSignature,
  Email,
  label,
  list,
  OrganizationId,
  PhoneNumber,
  UserId,
  unsupported,
  WalletParams,
  WalletResult,
} from "@keyhearth/engine/fields/schemas";
import { LIMITS } from "@keyhearth/engine/records/limits";
import * as z from "zod";
import { type Fact, findTaken } from "../store/accounts.ts";
import { lookupHash } from "../store/lookups.ts";
import { ActivityId, AppProof } from "../wire/objects.ts";
import { defineCall, errorsOfCore, type Tools } from "./define.ts";
import {
  assertAudience,
  factOfContact,
  factOfIdToken,
  readToken,
  Token,
  whileAlone,
} from "./proofs.ts";

const mostProviders = { max: LIMITS.oauthProvidersPerUser };

/** Anybody signs up, and the signer derives each account in the time that the whole organization shares. */
export const MOST_ACCOUNTS = 5;
export const MOST_INDEXES = 5;

/** One user is registered, so the lists are no longer than what a user may have. */
const common = {
  userEmail: Email.optional(),
  userPhoneNumber: PhoneNumber.optional(),
  userTag: unsupported(z.string(), "a tag for the user of a new sub-organization"),
  userName: label("Name of the user.").optional(),
  organizationName: label("Name of the sub-organization.").optional(),
  verificationToken: Token.optional(),
  apiKeys: list(ApiKeyParamsV2, "API keys to register.", { max: LIMITS.apiKeysPerUser }),
  authenticators: list(AuthenticatorParamsV2, "Passkeys to register.", {
    max: LIMITS.authenticatorsPerUser,
  }),
  wallet: WalletParams.optional(),
  clientSignature: ClientSignature.optional(),
};

const first = z.strictObject({
  ...common,
  oauthProviders: list(OauthProviderParams, "Social logins to register.", mostProviders),
});
const second = z.strictObject({
  ...common,
  oauthProviders: list(OauthProviderParamsV2, "Social logins to register.", mostProviders),
});

type SignUp = z.output<typeof second>;

/**
 * A key that is registered for longer could be another person's, whom it would lead into this account. So could a key of
 * any lifetime on a curve of wallets, whose keys everybody can read in blockchains: a page makes its keys on P-256.
 */
export const MOST_KEY_SECONDS = 900;

const call = {
  description: `Makes a sub-organization whose only root user is the person. What proves nothing comes alone: a social login, or a key that lasts or is a wallet’s. A contact comes with the \`verificationToken\` of its code, and the signature of the key that the token names. The \`wallet\` counts if the settings have none, and has at most ${MOST_ACCOUNTS} accounts, with paths of at most ${MOST_INDEXES} indexes.`,
  answers: z.object({
    organizationId: OrganizationId.describe("The new sub-organization."),
    userId: UserId.describe("Its root user."),
    wallet: WalletResult.optional(),
    appProofs: z
      .array(AppProof)
      .describe("The signer’s statements about the activity’s outcome and the addresses."),
    activity: z
      .object({
        activityId: ActivityId.describe("The activity that made the sub-organization."),
        request: z
          .string()
          .describe(
            "The request, exactly as the proxy stamped it. The statement has its fingerprint.",
          ),
        result: z
          .record(z.string(), z.unknown())
          .describe("The activity’s result. The statement has its digest."),
      })
      .describe("With which the page verifies that the account has its own credentials alone."),
  }),
  example: {
    userName: "Ada",
    apiKeys: [
      {
        apiKeyName: "session",
        publicKey: "037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
        curveType: "API_KEY_CURVE_P256",
        expirationSeconds: "60",
      },
    ],
    authenticators: [
      {
        authenticatorName: "Laptop",
        challenge: "o2uC0GWhEDYQ0Eml7gIBmEBYmYhP9sOGoz1E9wAAAAA",
        attestation: {
          credentialId: "LGUFcFoj9gbRd0HHBWRyyg",
          clientDataJson: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
          attestationObject: "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQ",
          transports: ["AUTHENTICATOR_TRANSPORT_INTERNAL"],
        },
      },
    ],
    oauthProviders: [],
  },
  errors: [
    "ALREADY_EXISTS",
    "FIELD_UNSUPPORTED",
    "OIDC_TOKEN_INVALID",
    "VERIFICATION_TOKEN_INVALID",
    "CLIENT_SIGNATURE_INVALID",
    "USER_WITHOUT_CREDENTIAL",
    "LIMIT_EXCEEDED",
    ...errorsOfCore,
  ] as const,
  /** A code took one already. Whether it was verified is checked before anything is done. */
  needsCaptcha: ({ verificationToken }: SignUp) => verificationToken === undefined,
  answer: signUp,
};

export const signup = defineCall({
  ...call,
  name: "signup",
  summary: "Sign up, earlier form",
  body: first,
});

export const signupV2 = defineCall({
  ...call,
  name: "signup_v2",
  summary: "Sign up",
  body: second,
});

async function signUp(tools: Tools, given: SignUp) {
  const { configuration } = tools;
  const { settings } = configuration;
  if (!settings.signUp) {
    throw new ApiError(
      "PERMISSION_DENIED",
      "FEATURE_DISABLED",
      "nobody signs up by this login proxy: its organization has set `signUp` to false",
    );
  }
  checkAll(
    () => checkCredentials(tools, given),
    () => checkWallet(tools, given),
  );
  const isProven = given.verificationToken !== undefined || given.oauthProviders.length > 0;
  if (!isProven) tools.unproven.check();
  // Proofs come first, so that nobody keeps others waiting with what they only state.
  const facts = await factsOf(tools, given);
  const hashes = facts.map(({ kind, value }) => lookupHash(kind, value));
  return whileAlone(tools, hashes, {
    assertNew: () => assertNew(tools, facts),
    signUp() {
      if (!isProven) tools.unproven.count();
      return create(tools, given);
    },
  });
}

/**
 * Everything that is registered must be of the person who signs up. Nothing proves that of a public key or of a
 * stolen token, so these come alone: their owner is then the only one who can use the account.
 */
function checkCredentials({ configuration }: Tools, given: SignUp) {
  const { methods } = configuration.settings;
  const { apiKeys, authenticators, oauthProviders, verificationToken, userEmail } = given;
  const lasting = apiKeys.filter(
    ({ curveType, expirationSeconds }) =>
      curveType !== "API_KEY_CURVE_P256" ||
      expirationSeconds === undefined ||
      Number(expirationSeconds) > MOST_KEY_SECONDS,
  );
  const others = apiKeys.length - 1 + authenticators.length + oauthProviders.length;
  const proofs = oauthProviders.length + (verificationToken === undefined ? 0 : 1);
  checkAll(
    () => {
      if (lasting.length === 0) return;
      if (!methods.includes("wallet")) throw notOffered("apiKeys", "wallet");
      if (others === 0 && verificationToken === undefined) return;
      throw invalid(
        "apiKeys",
        `\`apiKeys\` has a key of a wallet’s curve, or one that is valid for more than ${MOST_KEY_SECONDS} seconds: such a key signs up alone, because nothing proves whose it is; register a P-256 key with an \`expirationSeconds\` of at most ${MOST_KEY_SECONDS}`,
      );
    },
    () => {
      if (authenticators.length > 0 && !methods.includes("passkey")) {
        throw notOffered("authenticators", "passkey");
      }
    },
    () => {
      for (const [index, { oidcToken }] of oauthProviders.entries()) {
        const field = `oauthProviders[${index}].oidcToken`;
        if (oidcToken !== undefined) assertAudience(configuration, oidcToken, field);
        else throw invalid(field, `\`${field}\` is missing: claims without a token prove nothing`);
      }
    },
    () => {
      if (
        proofs < 2 &&
        (oauthProviders.length === 0 || apiKeys.length + authenticators.length === 0)
      ) {
        return;
      }
      throw invalid(
        "oauthProviders",
        "`oauthProviders` comes alone: a social login, a contact and a key that are registered together could be of several people; add the others after the login",
      );
    },
    () => {
      const stated = userEmail !== undefined || given.userPhoneNumber !== undefined;
      if (!stated || verificationToken !== undefined) return;
      const field = userEmail === undefined ? "userPhoneNumber" : "userEmail";
      throw invalid(
        field,
        `\`${field}\` is not proven: send the \`verificationToken\` of a code that was sent there`,
      );
    },
    () => {
      if (lasting.length + authenticators.length + proofs > 0) return;
      throw invalid(
        "authenticators",
        "there is nothing to log in with: register a passkey, a social login, a wallet’s key or a verified contact",
      );
    },
  );
}

/** The wallet of the settings comes before that of a visitor's page, which is then not made. */
function checkWallet({ configuration }: Tools, { wallet }: SignUp) {
  const { accounts = [] } = configuration.settings.subOrganization.wallet ? {} : { ...wallet };
  checkAll(
    () => {
      if (accounts.length <= MOST_ACCOUNTS) return;
      throw invalid(
        "wallet.accounts",
        `\`wallet.accounts\` has ${accounts.length} accounts: a sign-up asks for at most ${MOST_ACCOUNTS}; for more, the organization sets \`subOrganization.wallet\` in its login proxy, or people add accounts after the login`,
      );
    },
    () =>
      checkEach(accounts, ({ path }, index) => {
        const indexes = path.split("/").length - 1;
        if (indexes <= MOST_INDEXES) return;
        const field = `wallet.accounts[${index}].path`;
        throw invalid(
          field,
          `\`${field}\` has ${indexes} indexes: a sign-up asks for at most ${MOST_INDEXES}; for more, the organization sets \`subOrganization.wallet\` in its login proxy`,
        );
      }),
  );
}

function notOffered(field: string, method: string) {
  return new ApiError(
    "PERMISSION_DENIED",
    "FEATURE_DISABLED",
    `\`${field}\` must be empty: the organization does not list \`${method}\` in the \`methods\` of its login proxy`,
    { field },
  );
}

/** What may have one account only. */
type OwnFact = Fact & { field: string; what: string };

/** Each is proven, or is known only to those who have it or have seen it used. */
async function factsOf(tools: Tools, given: SignUp): Promise<OwnFact[]> {
  const { host, configuration } = tools;
  const { apiKeys, authenticators, oauthProviders, verificationToken, userEmail } = given;
  const facts: OwnFact[] = [];
  if (verificationToken !== undefined) {
    const claims = await readToken(host, configuration, verificationToken, "verificationToken");
    const isEmail = claims.verification_type === "OTP_TYPE_EMAIL";
    const [field, stated, other] = isEmail
      ? (["userEmail", userEmail, given.userPhoneNumber] as const)
      : (["userPhoneNumber", given.userPhoneNumber, userEmail] as const);
    if (stated !== claims.contact || other !== undefined) {
      throw invalid(field, `\`${field}\` must be the contact of the token, and the only contact`);
    }
    facts.push({ ...factOfContact(claims), field, what: "contact" });
  }
  for (const [index, { oidcToken = "" }] of oauthProviders.entries()) {
    const field = `oauthProviders[${index}].oidcToken`;
    const fact = await factOfIdToken(tools, oidcToken, field);
    facts.push({ ...fact, field, what: "social login" });
  }
  const keys = apiKeys.map(({ publicKey }, index) => ({
    kind: "PUBLIC_KEY" as const,
    value: publicKey.toLowerCase(),
    field: `apiKeys[${index}].publicKey`,
    what: "public key",
  }));
  const passkeys = authenticators.map(({ attestation }, index) => ({
    kind: "CREDENTIAL_ID" as const,
    value: attestation.credentialId,
    field: `authenticators[${index}].attestation.credentialId`,
    what: "passkey",
  }));
  return [...facts, ...keys, ...passkeys];
}

/** Only somebody who has proved whose it is hears that there is an account, or who knows a public key. */
async function assertNew({ host, configuration }: Tools, facts: readonly OwnFact[]) {
  const { organizationId } = configuration;
  const taken = await findTaken(host.store, organizationId, facts, host.now());
  if (taken) throw hasAccount(taken.field, taken.what);
}

function hasAccount(field: string, what: string): ApiError {
  return new ApiError(
    "ALREADY_EXISTS",
    "ALREADY_EXISTS",
    `\`${field}\` has an account already: log in with this ${what}`,
    { field },
  );
}

async function create({ submitFor, configuration, host }: Tools, given: SignUp) {
  const { organizationId, settings } = configuration;
  const { organizationName, wallet, ...disabled } = settings.subOrganization;
  const { apiKeys, authenticators, oauthProviders, userEmail, userPhoneNumber } = given;
  const { verificationToken, clientSignature } = given;
  // Each wallet is stored for the organization, so what it has set comes before what a visitor's page asks for.
  const asked = wallet ?? given.wallet;
  const { result, appProofs, activityId, request } = await submitFor(configuration, {
    endpoint: "create_sub_organization",
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8",
    organizationId,
    parameters: {
      subOrganizationName: given.organizationName ?? organizationName ?? `sub-org-${host.now()}`,
      rootUsers: [
        {
          userName: given.userName ?? userEmail ?? userPhoneNumber ?? `user-${host.now()}`,
          ...(userEmail !== undefined && { userEmail }),
          ...(userPhoneNumber !== undefined && { userPhoneNumber }),
          apiKeys,
          authenticators,
          oauthProviders,
        },
      ],
      rootQuorumThreshold: 1,
      ...disabled,
      ...(asked && { wallet: asked }),
      ...(verificationToken !== undefined && { verificationToken }),
      ...(clientSignature && { clientSignature }),
    },
    resultKey: "createSubOrganizationResultV8",
    proves: true,
  });
  const rootUserIds = result.rootUserIds as string[] | undefined;
  return {
    organizationId: result.subOrganizationId,
    userId: rootUserIds?.[0],
    ...(result.wallet !== undefined && { wallet: result.wallet }),
    appProofs,
    activity: { activityId, request, result },
  };
}
