import * as z from "zod";
import type { Context } from "../declare/context.ts";
import { defineActivity } from "../declare/define.ts";
import { ApiError, checkAll, checkEach } from "../errors.ts";
import {
  ApiKeyParams,
  ApiKeyParamsV2,
  AuthenticatorParamsV2,
  OauthProviderParams,
  OauthProviderParamsV2,
} from "../fields/credentials.ts";
import {
  ClientSignature,
  Email,
  label,
  list,
  OrganizationId,
  oneLine,
  PhoneNumber,
  PrivateKeyParams,
  PrivateKeyResult,
  UserId,
  VerificationToken,
  WalletParams,
  WalletResult,
} from "../fields/schemas.ts";
import { checkAccounts } from "../keys/new-accounts.ts";
import { checkPrivateKeys, createPrivateKeyRecord } from "../keys/private-keys.ts";
import { createWalletRecords, MNEMONIC_LENGTH } from "../keys/wallets.ts";
import { withCurve } from "../people/api-keys.ts";
import { checkQuorum } from "../people/root-quorum.ts";
import {
  checkUnused,
  markVerified,
  readSignup,
  type SignupToken,
  signupOrganizationId,
  wantedOrganizationId,
} from "../people/signups.ts";
import { checkNewUser, createUsersOf } from "../people/users.ts";
import {
  type Feature,
  newOrganizationDocument,
  type OrganizationDocument,
} from "../records/organization.ts";

const contact = { userName: label("Name of the user."), userEmail: Email.optional() };
const userPhoneNumber = PhoneNumber.optional();
const authenticators = list(AuthenticatorParamsV2, "Passkeys to register.");
const p256ApiKeys = list(ApiKeyParams, "API keys to register.");
const apiKeys = list(ApiKeyParamsV2, "API keys to register.");
const oauthProviders = list(OauthProviderParams, "Social logins to register.");
const oauthProvidersV2 = list(OauthProviderParamsV2, "Social logins to register.");

const RootUsers = rootUsers("RootUserParams", { ...contact, apiKeys: p256ApiKeys, authenticators });
const RootUsersV2 = rootUsers("RootUserParamsV2", {
  ...contact,
  apiKeys: p256ApiKeys,
  authenticators,
  oauthProviders,
});
const RootUsersV3 = rootUsers("RootUserParamsV3", {
  ...contact,
  apiKeys,
  authenticators,
  oauthProviders,
});
const RootUsersV4 = rootUsers("RootUserParamsV4", {
  ...contact,
  userPhoneNumber,
  apiKeys,
  authenticators,
  oauthProviders,
});
const RootUsersV5 = rootUsers("RootUserParamsV5", {
  ...contact,
  userPhoneNumber,
  apiKeys,
  authenticators,
  oauthProviders: oauthProvidersV2,
});

function rootUsers<T extends z.ZodRawShape>(id: string, params: T) {
  const user = z.strictObject(params).describe("A root user of the sub-organization.").meta({ id });
  return list(user, "Root users of the sub-organization.");
}

const subOrganizationName = oneLine.describe(
  "Name of the sub-organization. It need not be unique.",
);
const rootQuorumThreshold = z
  .int("must be a whole number")
  .describe("Approvals that the root quorum needs, from 1 to the number of root users.")
  .meta({ format: "int32" });
const subOrganizationId = OrganizationId;
const rootUserIds = z
  .array(UserId)
  .describe("Ids of the root users, in the order of `rootUsers`.")
  .optional();
const resultWithWallet = z.strictObject({
  subOrganizationId,
  wallet: WalletResult.optional(),
  rootUserIds,
});

/** V4, V5 and V6: only the parameters of the root users differ. */
function intentWithWallet<T extends z.ZodType>(rootUsers: T) {
  return z.strictObject({
    subOrganizationName,
    rootUsers,
    rootQuorumThreshold,
    wallet: WalletParams.optional(),
    disableEmailRecovery: z.boolean().describe("Disable email recovery.").optional(),
    disableEmailAuth: z.boolean().describe("Disable login by email.").optional(),
  });
}

type Latest = z.output<typeof latest>;

const latest = intentWithWallet(RootUsersV4).extend({
  disableSmsAuth: z.boolean().describe("Disable login by SMS.").optional(),
  disableOtpEmailAuth: z.boolean().describe("Disable login by a code sent by email.").optional(),
  verificationToken: VerificationToken.describe(
    "A token from verify_otp. It proves the contact of a root user, which is verified if there are no other root users. A token creates one sub-organization.",
  ).optional(),
  clientSignature: ClientSignature.describe(
    "By the key that the verification token names: proof that its holder asks for this root user.",
  ).optional(),
});

/** Only V3 can ask for private keys, so they are not part of the newest shape. */
type WithPrivateKeys = Latest & { privateKeys?: z.output<typeof PrivateKeyParams>[] };

/** Creates an organization under this one. The parent's document does not change. */
export const createSubOrganization = defineActivity({
  name: "create_sub_organization",
  tag: "Organizations",
  summary: "Create sub-organization",
  description:
    "Create a sub-organization with its own root users and quorum and, optionally, a wallet.",
  policy: { resource: "ORGANIZATION", action: "CREATE" },
  changes: "records",
  defaultType: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
  versions: {
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION: {
      intentKey: "createSubOrganizationIntent",
      resultKey: "createSubOrganizationResult",
      intent: z.strictObject({
        name: label("Name of the sub-organization."),
        rootAuthenticator: AuthenticatorParamsV2.describe(
          "Passkey of the only root user, who gets its name.",
        ),
      }),
      result: z.strictObject({ subOrganizationId, rootUserIds }),
    },
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2: {
      intentKey: "createSubOrganizationIntentV2",
      resultKey: "createSubOrganizationResult",
      intent: z.strictObject({
        subOrganizationName,
        rootUsers: RootUsers,
        rootQuorumThreshold,
      }),
      result: z.strictObject({ subOrganizationId, rootUserIds }),
    },
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3: {
      intentKey: "createSubOrganizationIntentV3",
      resultKey: "createSubOrganizationResultV3",
      intent: z.strictObject({
        subOrganizationName,
        rootUsers: RootUsers,
        rootQuorumThreshold,
        privateKeys: list(PrivateKeyParams, "Private keys to create."),
      }),
      result: z.strictObject({
        subOrganizationId,
        privateKeys: z
          .array(PrivateKeyResult)
          .describe("The private keys, in the order of the request."),
        rootUserIds,
      }),
    },
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4: {
      intentKey: "createSubOrganizationIntentV4",
      resultKey: "createSubOrganizationResultV4",
      intent: intentWithWallet(RootUsers),
      result: resultWithWallet,
    },
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5: {
      intentKey: "createSubOrganizationIntentV5",
      resultKey: "createSubOrganizationResultV5",
      intent: intentWithWallet(RootUsersV2),
      result: resultWithWallet,
    },
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6: {
      intentKey: "createSubOrganizationIntentV6",
      resultKey: "createSubOrganizationResultV6",
      intent: intentWithWallet(RootUsersV3),
      result: resultWithWallet,
    },
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7: {
      intentKey: "createSubOrganizationIntentV7",
      resultKey: "createSubOrganizationResultV7",
      intent: latest,
      result: resultWithWallet,
    },
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8: {
      intentKey: "createSubOrganizationIntentV8",
      resultKey: "createSubOrganizationResultV8",
      intent: latest.extend({ rootUsers: RootUsersV5 }),
      result: resultWithWallet,
    },
  },
  example: {
    subOrganizationName: "ada",
    rootUsers: [
      {
        userName: "Ada",
        userEmail: "ada@example.com",
        apiKeys: [
          {
            apiKeyName: "laptop",
            publicKey: "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
            curveType: "API_KEY_CURVE_SECP256K1",
          },
        ],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    rootQuorumThreshold: 1,
    wallet: {
      walletName: "default",
      accounts: [
        {
          curve: "CURVE_SECP256K1",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/60'/0'/0/0",
          addressFormat: "ADDRESS_FORMAT_ETHEREUM",
        },
      ],
    },
  },
  upgrade: {
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION: ({ name, rootAuthenticator }) => ({
      subOrganizationName: name,
      rootUsers: [
        {
          userName: rootAuthenticator.authenticatorName,
          apiKeys: [],
          authenticators: [rootAuthenticator],
          oauthProviders: [],
        },
      ],
      rootQuorumThreshold: 1,
    }),
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2: (old) => fromP256(old),
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3: (old) => fromP256(old),
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4: (old) => fromP256(old),
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5: (old) => fromP256(old),
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6: (old) => old,
    // It differs from V7 only in the social logins, which handlers read in both forms.
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8: (newer) => newer as unknown as Latest,
  },
  downgrade: {
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION: withoutWallet,
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2: withoutWallet,
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3: (result) => ({ privateKeys: [], ...result }),
  },

  complete: ({ wallet, ...rest }) => ({
    ...rest,
    ...(wallet && { wallet: { mnemonicLength: MNEMONIC_LENGTH, ...wallet } }),
  }),

  givesBeside: ({ verificationToken }, context) => ({
    organizationId: wantedOrganizationId(context, verificationToken),
  }),

  check(context, intent) {
    const { document, organizationId, registrations, newId } = context;
    const { rootUsers, rootQuorumThreshold, wallet, privateKeys = [] } = intent as WithPrivateKeys;
    if (document.parentOrganizationId !== null) {
      throw new ApiError(
        "PERMISSION_DENIED",
        "REQUEST_NOT_AUTHORIZED",
        "request not authorized: a sub-organization cannot have sub-organizations",
      );
    }
    if (rootUsers.length === 0) {
      throw new ApiError(
        "INVALID_ARGUMENT",
        "QUORUM_INVALID",
        "invalid request body: `parameters.rootUsers` needs at least one root user",
        { field: "parameters.rootUsers" },
      );
    }
    const indexes = rootUsers.map((_, index) => String(index));
    const quorum = { threshold: rootQuorumThreshold, userIds: indexes };
    const all = {
      organization: {
        parentOrganizationId: organizationId,
        features: featuresOf(intent),
        userTags: [],
        users: rootUsers.map((user, index) => ({ ...user, userId: newId(`user/${index}`) })),
      },
      taken: new Set<string>(),
      identities: new Set<string>(),
      registrations,
    };
    checkAll(
      () => checkQuorum(quorum, indexes, "parameters.rootQuorumThreshold"),
      () =>
        checkEach(rootUsers, (user, index) => {
          const userId = newId(`user/${index}`);
          checkNewUser(user, `parameters.rootUsers[${index}]`, { ...all, userId });
        }),
      () => checkUnused(context, readSignup(context, intent)),
      () => wallet && checkAccounts(wallet.accounts, "parameters.wallet.accounts"),
      () => checkPrivateKeys(privateKeys, new Set(), []),
    );
  },

  execute(context, intent) {
    const { privateKeys } = intent as WithPrivateKeys;
    const token = readSignup(context, intent);
    const organizationId = signupOrganizationId(context, token);
    const document = createDocument(context, organizationId, intent, token);

    const { wallet } = intent;
    const created =
      wallet &&
      createWalletRecords(
        context,
        { organizationId, walletId: context.newKeyId("wallet") },
        wallet,
      );
    if (created) document.wallets.push(created.line);
    const keys = privateKeys?.map((params, index) => {
      const privateKeyId = context.newKeyId(`private-key/${index}`);
      const { line, addresses } = createPrivateKeyRecord(
        context,
        { organizationId, privateKeyId },
        params,
      );
      document.privateKeys.push(line);
      return { privateKeyId, addresses };
    });
    context.write.organization(document);

    return {
      subOrganizationId: organizationId,
      ...(created && {
        wallet: { walletId: created.line.walletId, addresses: created.addresses },
      }),
      ...(keys && { privateKeys: keys }),
      rootUserIds: document.rootQuorum.userIds,
    };
  },
});

/** The first document of the sub-organization. Also writes the keys of its users that expire. */
function createDocument(
  context: Context,
  organizationId: string,
  intent: Latest,
  token: SignupToken | null,
): OrganizationDocument {
  const users = createUsersOf(organizationId, context, intent.rootUsers);
  markVerified(users, token);
  return newOrganizationDocument({
    organizationId,
    organizationName: intent.subOrganizationName,
    parentOrganizationId: context.organizationId,
    ...(context.isVoted && { isVoted: true }),
    createdAtMs: context.nowMs,
    users,
    rootQuorum: {
      threshold: intent.rootQuorumThreshold,
      userIds: users.map(({ userId }) => userId),
    },
    features: featuresOf(intent),
  });
}

/** A sub-organization has these features unless its creator switches them off. */
function featuresOf(intent: Latest): Feature[] {
  const names = [
    intent.disableEmailAuth ? null : "FEATURE_NAME_EMAIL_AUTH",
    intent.disableEmailRecovery ? null : "FEATURE_NAME_EMAIL_RECOVERY",
    intent.disableEmailRecovery ? null : "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY",
    intent.disableSmsAuth ? null : "FEATURE_NAME_SMS_AUTH",
    intent.disableOtpEmailAuth ? null : "FEATURE_NAME_OTP_EMAIL_AUTH",
  ];
  return names.flatMap((name) => (name ? [{ name, value: null }] : []));
}

function fromP256<T extends { rootUsers: { apiKeys: z.output<typeof ApiKeyParams>[] }[] }>(
  old: T,
): Latest {
  const rootUsers = old.rootUsers.map((user) => ({ oauthProviders: [], ...withCurve(user) }));
  // The versions before V6 differ from it only in the keys of their root users.
  return { ...old, rootUsers } as unknown as Latest;
}

function withoutWallet({ subOrganizationId, rootUserIds }: z.output<typeof resultWithWallet>) {
  return { subOrganizationId, rootUserIds };
}
