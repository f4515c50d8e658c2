import * as z from "zod";
import { ApiError } from "../errors.ts";
import {
  ApiKeyParams,
  ApiKeyParamsV2,
  AuthenticatorParamsV2,
  ClientSignature,
  Email,
  emptyList,
  label,
  list,
  OauthProviderParams,
  OauthProviderParamsV2,
  OrganizationId,
  oneLine,
  PhoneNumber,
  PrivateKeyParams,
  PrivateKeyResult,
  UserId,
  unsupported,
  WalletParams,
  WalletResult,
} from "../fields.ts";
import {
  checkAccounts,
  checkPrivateKeys,
  createPrivateKeyRecord,
  createWalletRecords,
  MNEMONIC_LENGTH,
} from "../keys/wallets.ts";
import {
  checkApiKeys,
  checkCanReturn,
  checkLongLivedKeys,
  checkQuorum,
  createUser,
  withCurve,
} from "../people/users.ts";
import {
  type Feature,
  newOrganizationDocument,
  type OrganizationDocument,
} from "../records/organization.ts";
import { defineActivity } from "../submission/define.ts";
import type { Context } from "../submission/execution.ts";

const userName = label("Name of the user.");
const authenticators = emptyList(AuthenticatorParamsV2, "authenticators");
const apiKeysV1 = list(ApiKeyParams, "API keys to register.");
const apiKeys = list(ApiKeyParamsV2, "API keys to register.");
const oauthProviders = emptyList(OauthProviderParams, "OAuth providers");

const RootUserParams = z
  .strictObject({ userName, userEmail: Email.optional(), apiKeys: apiKeysV1, authenticators })
  .describe("A root user of the sub-organization.")
  .meta({ id: "RootUserParams" });

const RootUserParamsV2 = z
  .strictObject({
    userName,
    userEmail: Email.optional(),
    apiKeys: apiKeysV1,
    authenticators,
    oauthProviders,
  })
  .describe("A root user of the sub-organization.")
  .meta({ id: "RootUserParamsV2" });

const RootUserParamsV3 = z
  .strictObject({ userName, userEmail: Email.optional(), apiKeys, authenticators, oauthProviders })
  .describe("A root user of the sub-organization.")
  .meta({ id: "RootUserParamsV3" });

const RootUserParamsV4 = z
  .strictObject({
    userName,
    userEmail: Email.optional(),
    userPhoneNumber: PhoneNumber.optional(),
    apiKeys,
    authenticators,
    oauthProviders,
  })
  .describe("A root user of the sub-organization.")
  .meta({ id: "RootUserParamsV4" });

const RootUserParamsV5 = z
  .strictObject({
    userName,
    userEmail: Email.optional(),
    userPhoneNumber: PhoneNumber.optional(),
    apiKeys,
    authenticators,
    oauthProviders: emptyList(OauthProviderParamsV2, "OAuth providers"),
  })
  .describe("A root user of the sub-organization.")
  .meta({ id: "RootUserParamsV5" });

const subOrganizationName = oneLine.describe(
  "Name of the sub-organization; it need not be unique.",
);
const rootQuorumThreshold = z
  .int("must be a whole number")
  .describe("Approvals that the root quorum needs, from 1 to the number of root users.")
  .meta({ format: "int32" });
const disableEmailRecovery = z.boolean().describe("Leave email recovery off.").optional();
const disableEmailAuth = z.boolean().describe("Leave email login off.").optional();
const disableSmsAuth = z.boolean().describe("Leave SMS login off.").optional();
const disableOtpEmailAuth = z.boolean().describe("Leave login by emailed code off.").optional();
const wallet = WalletParams.optional();
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

type Latest = z.output<typeof latest>;

const latest = z.strictObject({
  subOrganizationName,
  rootUsers: list(RootUserParamsV4, "Root users of the sub-organization."),
  rootQuorumThreshold,
  wallet,
  disableEmailRecovery,
  disableEmailAuth,
  disableSmsAuth,
  disableOtpEmailAuth,
  verificationToken: unsupported(
    z.string().describe("Proof that a contact belongs to the user."),
    "a verification token",
  ),
  clientSignature: unsupported(ClientSignature, "a client signature"),
});

/** Private keys could be asked for in one old version only; it travels beside the newest shape. */
type WithPrivateKeys = Latest & { privateKeys?: z.output<typeof PrivateKeyParams>[] };

/** Makes an organization of its own under this one. The parent's document does not change. */
export const createSubOrganization = defineActivity({
  name: "create_sub_organization",
  tag: "Organizations",
  summary: "Create sub-organization",
  description:
    "Create a sub-organization with its own root users, quorum and, if asked for, wallet.",
  policy: { resource: "ORGANIZATION", action: "CREATE" },
  keepsDocument: true,
  defaultType: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
  versions: {
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION: {
      intentKey: "createSubOrganizationIntent",
      resultKey: "createSubOrganizationResult",
      intent: z.strictObject({
        name: label("Name of the sub-organization."),
        rootAuthenticator: AuthenticatorParamsV2.refine(() => false, {
          error:
            "authenticators are not supported by this version of the service; use a newer type with an API key",
          params: { reason: "FIELD_UNSUPPORTED" },
        }),
      }),
      result: z.strictObject({ subOrganizationId, rootUserIds }),
    },
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2: {
      intentKey: "createSubOrganizationIntentV2",
      resultKey: "createSubOrganizationResult",
      intent: z.strictObject({
        subOrganizationName,
        rootUsers: list(RootUserParams, "Root users of the sub-organization."),
        rootQuorumThreshold,
      }),
      result: z.strictObject({ subOrganizationId, rootUserIds }),
    },
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3: {
      intentKey: "createSubOrganizationIntentV3",
      resultKey: "createSubOrganizationResultV3",
      intent: z.strictObject({
        subOrganizationName,
        rootUsers: list(RootUserParams, "Root users of the sub-organization."),
        rootQuorumThreshold,
        privateKeys: list(PrivateKeyParams, "Private keys to create."),
      }),
      result: z.strictObject({
        subOrganizationId,
        privateKeys: z.array(PrivateKeyResult).describe("In the order of the keys asked for."),
        rootUserIds,
      }),
    },
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4: {
      intentKey: "createSubOrganizationIntentV4",
      resultKey: "createSubOrganizationResultV4",
      intent: z.strictObject({
        subOrganizationName,
        rootUsers: list(RootUserParams, "Root users of the sub-organization."),
        rootQuorumThreshold,
        wallet,
        disableEmailRecovery,
        disableEmailAuth,
      }),
      result: resultWithWallet,
    },
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5: {
      intentKey: "createSubOrganizationIntentV5",
      resultKey: "createSubOrganizationResultV5",
      intent: z.strictObject({
        subOrganizationName,
        rootUsers: list(RootUserParamsV2, "Root users of the sub-organization."),
        rootQuorumThreshold,
        wallet,
        disableEmailRecovery,
        disableEmailAuth,
      }),
      result: resultWithWallet,
    },
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6: {
      intentKey: "createSubOrganizationIntentV6",
      resultKey: "createSubOrganizationResultV6",
      intent: z.strictObject({
        subOrganizationName,
        rootUsers: list(RootUserParamsV3, "Root users of the sub-organization."),
        rootQuorumThreshold,
        wallet,
        disableEmailRecovery,
        disableEmailAuth,
      }),
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
      intent: latest.extend({
        rootUsers: list(RootUserParamsV5, "Root users of the sub-organization."),
      }),
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
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2: (old) => fromP256(old),
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3: (old) => fromP256(old),
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4: (old) => fromP256(old),
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5: (old) => fromP256(old),
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6: (old) => old,
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8: ({ rootUsers, ...rest }) => ({
      ...rest,
      rootUsers: rootUsers.map((user) => ({ ...user, oauthProviders: [] })),
    }),
  },
  downgrade: {
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2: withoutWallet,
    ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3: (result) => ({ privateKeys: [], ...result }),
  },

  complete: ({ wallet, ...rest }) => ({
    ...rest,
    ...(wallet && { wallet: { mnemonicLength: MNEMONIC_LENGTH, ...wallet } }),
  }),

  check({ document }, intent) {
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
    checkQuorum(
      { threshold: rootQuorumThreshold, userIds: indexes },
      indexes,
      "parameters.rootQuorumThreshold",
    );
    const taken = new Set<string>();
    for (const [index, { apiKeys }] of rootUsers.entries()) {
      checkApiKeys(apiKeys, `parameters.rootUsers[${index}].apiKeys`, taken);
      checkLongLivedKeys(null, apiKeys, `parameters.rootUsers[${index}].apiKeys`);
    }
    if (wallet) checkAccounts(wallet.accounts, "parameters.wallet.accounts");
    checkPrivateKeys(privateKeys, new Set(), []);
  },

  execute(context, intent) {
    const { privateKeys } = intent as WithPrivateKeys;
    const organizationId = context.newId("organization");
    const document = createDocument(context, organizationId, intent);

    const { wallet } = intent;
    let addresses: string[] = [];
    if (wallet) {
      const walletId = context.newKeyId("wallet");
      addresses = createWalletRecords(context, { organizationId, walletId }, wallet);
      document.wallets.push({
        walletId,
        walletName: wallet.walletName,
        exported: false,
        imported: false,
        createdAtMs: context.nowMs,
        updatedAtMs: context.nowMs,
      });
    }
    const keys = privateKeys?.map(({ privateKeyName, curve, addressFormats }, index) => {
      const privateKeyId = context.newKeyId(`private-key/${index}`);
      const owner = { organizationId, privateKeyId };
      const { addresses } = createPrivateKeyRecord(context, owner, { curve, addressFormats });
      document.privateKeys.push({
        privateKeyId,
        privateKeyName,
        curve,
        privateKeyTags: [],
        exported: false,
        imported: false,
        createdAtMs: context.nowMs,
        updatedAtMs: context.nowMs,
      });
      return {
        privateKeyId,
        addresses: addresses.map(({ format, address }) => ({ format, address })),
      };
    });
    context.write.organization(document);

    const [line] = document.wallets;
    return {
      subOrganizationId: organizationId,
      ...(line ? { wallet: { walletId: line.walletId, addresses } } : {}),
      ...(keys ? { privateKeys: keys } : {}),
      rootUserIds: document.rootQuorum.userIds,
    };
  },
});

/** The first document of the sub-organization; its users' expiring keys are written beside it. */
function createDocument(
  context: Context,
  organizationId: string,
  intent: Latest,
): OrganizationDocument {
  const { nowMs } = context;
  const features = featuresOf(intent);
  const users = intent.rootUsers.map((params, index) => {
    const userId = context.newId(`user/${index}`);
    const newId = (name: string) => context.newId(`user/${index}/${name}`);
    const { user, entries } = createUser(params, { userId, newId, nowMs });
    const organization = { parentOrganizationId: context.organizationId, features };
    checkCanReturn(user, `parameters.rootUsers[${index}].apiKeys`, organization);
    if (entries.length > 0) context.write.sessions({ userId, entries }, organizationId);
    return user;
  });
  return newOrganizationDocument({
    organizationId,
    organizationName: intent.subOrganizationName,
    parentOrganizationId: context.organizationId,
    createdAtMs: nowMs,
    users,
    rootQuorum: {
      threshold: intent.rootQuorumThreshold,
      userIds: users.map(({ userId }) => userId),
    },
    features,
  });
}

/** On by default in a sub-organization, unless switched off when it is made. */
function featuresOf(intent: Latest): Feature[] {
  const names = [
    intent.disableEmailAuth ? null : "FEATURE_NAME_EMAIL_AUTH",
    intent.disableEmailRecovery ? null : "FEATURE_NAME_EMAIL_RECOVERY",
    intent.disableSmsAuth ? null : "FEATURE_NAME_SMS_AUTH",
    intent.disableOtpEmailAuth ? null : "FEATURE_NAME_OTP_EMAIL_AUTH",
  ];
  return names.flatMap((name) => (name ? [{ name, value: null }] : []));
}

function fromP256<T extends { rootUsers: { apiKeys: z.output<typeof ApiKeyParams>[] }[] }>(
  old: T,
): Latest {
  const rootUsers = old.rootUsers.map((user) => ({ oauthProviders: [], ...withCurve(user) }));
  // The versions before V6 differ from it in their root users' keys alone.
  return { ...old, rootUsers } as unknown as Latest;
}

function withoutWallet({ subOrganizationId, rootUserIds }: z.output<typeof resultWithWallet>) {
  return { subOrganizationId, rootUserIds };
}
