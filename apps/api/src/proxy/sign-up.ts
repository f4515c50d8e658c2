import { ApiError, checkAll, invalid } from "@keyhearth/engine/errors";
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
  PhoneNumber,
  unsupported,
  WalletParams,
} from "@keyhearth/engine/fields/schemas";
import { identityIn } from "@keyhearth/engine/people/oidc-tokens";
import * as z from "zod";
import { findAccounts } from "../store/accounts.ts";
import { defineCall, type Tools } from "./define.ts";
import {
  accountsOfContact,
  accountsOfIdToken,
  assertAudience,
  readToken,
  Token,
  whileAlone,
} from "./proofs.ts";

const common = {
  userEmail: Email.optional(),
  userPhoneNumber: PhoneNumber.optional(),
  userTag: unsupported(z.string(), "a tag for the user of a new sub-organization"),
  userName: label("Name of the user.").optional(),
  organizationName: label("Name of the sub-organization.").optional(),
  verificationToken: Token.optional(),
  apiKeys: list(ApiKeyParamsV2, "API keys to register."),
  authenticators: list(AuthenticatorParamsV2, "Passkeys to register."),
  wallet: WalletParams.optional(),
  clientSignature: ClientSignature.optional(),
};

const first = z.strictObject({
  ...common,
  oauthProviders: list(OauthProviderParams, "Social logins to register."),
});
const second = z.strictObject({
  ...common,
  oauthProviders: list(OauthProviderParamsV2, "Social logins to register."),
});

type SignUp = z.output<typeof second>;

/**
 * A key that is registered for longer could be another person's, whom it would lead into this account. So could a key of
 * any lifetime on a curve of wallets, whose keys everybody can read in blockchains: a page makes its keys on P-256.
 */
const MOST_KEY_SECONDS = 900;

export const signup = defineCall({ name: "signup", body: first, isCaptcha: true, answer: signUp });

export const signupV2 = defineCall({
  name: "signup_v2",
  body: second,
  isCaptcha: true,
  answer: signUp,
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
  checkCredentials(tools, given);
  // Proofs come first, so that nobody keeps others waiting with what they only state.
  await assertNew(tools, given);
  return whileAlone(tools.host, configuration, factsOf(given), async () => {
    await assertNew(tools, given);
    const isProven = given.verificationToken !== undefined || given.oauthProviders.length > 0;
    if (!isProven) tools.countUnproven();
    return create(tools, given);
  });
}

/** What may have one account only, as `assertNew` looks for it. */
function factsOf({ apiKeys, authenticators, oauthProviders, ...stated }: SignUp): string[] {
  return [
    ...[stated.userEmail ?? [], stated.userPhoneNumber ?? []].flat(),
    ...oauthProviders.map(({ oidcToken = "" }) => JSON.stringify(identityIn(oidcToken))),
    ...apiKeys.map(({ publicKey }) => publicKey.toLowerCase()),
    ...authenticators.map(({ attestation }) => attestation.credentialId),
  ];
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

function notOffered(field: string, method: string) {
  return invalid(
    field,
    `\`${field}\` must be empty: the organization does not list \`${method}\` in the \`methods\` of its login proxy`,
  );
}

/** Only somebody who has proved whose it is hears that there is an account, or who knows a public key. */
async function assertNew(tools: Tools, given: SignUp) {
  const { host, configuration } = tools;
  const { apiKeys, authenticators, oauthProviders, verificationToken, userEmail } = given;
  if (verificationToken !== undefined) {
    const claims = await readToken(host, configuration, verificationToken, "verificationToken");
    const isEmail = claims.verification_type === "OTP_TYPE_EMAIL";
    const [field, stated, other] = isEmail
      ? (["userEmail", userEmail, given.userPhoneNumber] as const)
      : (["userPhoneNumber", given.userPhoneNumber, userEmail] as const);
    if (stated !== claims.contact || other !== undefined) {
      throw invalid(field, `\`${field}\` must be the contact of the token, and the only contact`);
    }
    const accounts = await accountsOfContact(host, configuration, claims);
    if (accounts.length > 0) throw hasAccount(field, "contact");
  }
  for (const [index, { oidcToken = "" }] of oauthProviders.entries()) {
    const field = `oauthProviders[${index}].oidcToken`;
    const accounts = await accountsOfIdToken(host, configuration, oidcToken, field);
    if (accounts.length > 0) throw hasAccount(field, "social login");
  }
  const nowMs = host.now();
  const { organizationId } = configuration;
  const taken = async (kind: "PUBLIC_KEY" | "CREDENTIAL_ID", value: string) =>
    (await findAccounts(host.store.db, organizationId, { kind, value, nowMs })).length > 0;
  for (const [index, { publicKey }] of apiKeys.entries()) {
    const isTaken = await taken("PUBLIC_KEY", publicKey);
    if (isTaken) throw hasAccount(`apiKeys[${index}].publicKey`, "public key");
  }
  for (const [index, { attestation }] of authenticators.entries()) {
    const field = `authenticators[${index}].attestation.credentialId`;
    if (await taken("CREDENTIAL_ID", attestation.credentialId)) throw hasAccount(field, "passkey");
  }
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
  const asked = given.wallet ?? wallet;
  const { result, appProofs } = await submitFor(configuration, {
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
  };
}
