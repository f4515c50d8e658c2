import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";

export const supplier = "0x8ba1f109551bD432803012645Ac136ddd64DBA72";

/**
 * What an administrator does once: a sub-organization with a wallet, the program's user (Bot), a
 * person (Ada), and policies. Bot pays the supplier up to 0.01 ETH alone, and up to 1 ETH with Ada.
 */
export async function setUp() {
  const parentKey = await readApiKeyFile(
    process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json",
  );
  const keys = { Root: createApiKey(), Bot: createApiKey(), Ada: createApiKey() };
  const user = (userName: keyof typeof keys) => ({
    userName,
    apiKeys: [
      {
        apiKeyName: "key",
        publicKey: keys[userName].apiPublicKey,
        curveType: "API_KEY_CURVE_P256" as const,
      },
    ],
    authenticators: [],
    oauthProviders: [],
  });

  const parent = clientOf(parentKey, parentKey.organizationId);
  const { subOrganizationId, wallet } = await parent.createSubOrganization({
    subOrganizationName: "Payouts",
    rootQuorumThreshold: 1,
    rootUsers: [user("Root")],
    wallet: {
      walletName: "Treasury",
      accounts: [
        {
          curve: "CURVE_SECP256K1",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/60'/0'/0/0",
          addressFormat: "ADDRESS_FORMAT_ETHEREUM",
        },
      ],
    },
  });
  const root = clientOf(keys.Root, subOrganizationId);
  const { userIds } = await root.createUsers({
    users: [
      { ...user("Bot"), userTags: [] },
      { ...user("Ada"), userTags: [] },
    ],
  });
  const [isBot, isAda] = userIds.map((id) => `approvers.any(user, user.id == '${id}')`);
  const address = wallet?.addresses[0] ?? "";
  const payment = (maximum: string) =>
    [
      "activity.kind == 'SIGN_TRANSACTION'",
      `wallet_account.address == '${address}'`,
      "eth.tx.chain_id == 1",
      `eth.tx.to == '${supplier}'`,
      `eth.tx.value <= ${maximum}`,
      "eth.tx.data == '0x'",
      "eth.tx.gas <= 21000",
      "eth.tx.max_fee_per_gas <= 100000000000",
    ].join(" && ");
  await root.createPolicies({
    policies: [
      {
        policyName: "Bot pays up to 0.01 ETH",
        effect: "EFFECT_ALLOW",
        consensus: isBot,
        condition: payment("10000000000000000"),
        notes: "",
      },
      {
        policyName: "Bot and Ada pay up to 1 ETH",
        effect: "EFFECT_ALLOW",
        consensus: `${isBot} && ${isAda}`,
        condition: payment("1000000000000000000"),
        notes: "",
      },
      {
        policyName: "Bot keeps the key that it has",
        effect: "EFFECT_DENY",
        consensus: isBot,
        condition: "activity.resource == 'CREDENTIAL'",
        notes: "Somebody who takes over the program could otherwise add a key of their own.",
      },
    ],
  });
  const bot = clientOf(keys.Bot, subOrganizationId);
  const ada = clientOf(keys.Ada, subOrganizationId);
  return { bot, ada, walletId: wallet?.walletId ?? "", address };
}

function clientOf(key: { apiPublicKey: string; apiPrivateKey: string }, organizationId: string) {
  return new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(key) });
}
