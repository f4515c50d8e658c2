import assert from "node:assert/strict";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { encodeFunctionData, parseGwei, serializeTransaction } from "viem";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId: parentId, ...parentKey } = await readApiKeyFile(rootKeyFile);

// 1. Ada's sub-organization. For now, the backend is a root user next to Ada, so
// that it can set everything up while she signs up. Her device generates her key
// and keeps it.
const keys = { Ada: createApiKey(), Backend: createApiKey(), Spare: createApiKey() };
const { subOrganizationId, rootUserIds, wallet } = await clientOf(
  parentKey,
  parentId,
).createSubOrganization({
  subOrganizationName: "Ada's wallet",
  rootQuorumThreshold: 1,
  rootUsers: [userParams("Ada"), userParams("Backend")],
  wallet: {
    walletName: "Main",
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
const [adaId = "", backendId = ""] = rootUserIds ?? [];
const address = wallet?.addresses[0] ?? "";
const backend = clientOf(keys.Backend, subOrganizationId);

// 2. The backend will be able to send up to 25 USDC to one merchant. With the
// interface of the token, policies can read the arguments of its calls.
const usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const merchant = "0x8ba1f109551bD432803012645Ac136ddd64DBA72";
const tokenAbi = [
  {
    type: "function",
    name: "transfer",
    stateMutability: "nonpayable",
    inputs: [
      { name: "to", type: "address" },
      { name: "amount", type: "uint256" },
    ],
    outputs: [{ name: "", type: "bool" }],
  },
] as const;
await backend.createSmartContractInterface({
  label: "USDC",
  type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
  smartContractAddress: usdc,
  smartContractInterface: JSON.stringify(tokenAbi),
});
await backend.createPolicies({
  policies: [
    {
      policyName: "Backend collects the subscription",
      effect: "EFFECT_ALLOW",
      consensus: `approvers.any(user, user.id == '${backendId}')`,
      condition: [
        "activity.kind == 'SIGN_TRANSACTION'",
        "eth.tx.chain_id == 1",
        `eth.tx.to == '${usdc}'`,
        "eth.tx.value == 0",
        "eth.tx.function_name == 'transfer'",
        `eth.tx.contract_call_args['to'] == '${merchant}'`,
        "eth.tx.contract_call_args['amount'] <= 25000000",
      ].join(" && "),
    },
    {
      // Without this, the backend could add more API keys to itself.
      policyName: "Backend keeps the key it has",
      effect: "EFFECT_DENY",
      consensus: `approvers.any(user, user.id == '${backendId}')`,
      condition: "activity.resource == 'CREDENTIAL'",
    },
  ],
});

// 3. The backend gives up everything else. From here on, Ada alone is the root
// quorum.
await backend.updateRootQuorum({ threshold: 1, userIds: [adaId] });

// Ada checks the sub-organization before she puts anything into the wallet.
const ada = clientOf(keys.Ada, subOrganizationId);
const { configs } = await ada.getOrganizationConfigs();
assert.deepEqual(configs.quorum, { threshold: 1, userIds: [adaId] });
for (const { policyName, effect } of (await ada.listPolicies()).policies) {
  console.log(`${effect}: ${policyName}`);
}

// The backend can do this one thing and nothing else.
await backend.signTransaction(transfer(25_000_000n));
console.log("25 USDC to the merchant: signed");
await refused("26 USDC", backend.signTransaction(transfer(26_000_000n)));
await refused("a wallet of its own", backend.createWallet({ walletName: "Mine", accounts: [] }));
await refused(
  "another key",
  backend.createApiKeys({ userId: backendId, apiKeys: userParams("Spare").apiKeys }),
);
await refused(
  "a message",
  backend.signRawPayload({
    signWith: address,
    payload: "I owe you everything",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  }),
);

function transfer(amount: bigint) {
  const unsigned = serializeTransaction({
    type: "eip1559",
    chainId: 1,
    nonce: 0,
    to: usdc,
    data: encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args: [merchant, amount] }),
    gas: 65_000n,
    maxFeePerGas: parseGwei("20"),
    maxPriorityFeePerGas: parseGwei("1"),
  });
  return {
    signWith: address,
    unsignedTransaction: unsigned.slice(2),
    type: "TRANSACTION_TYPE_ETHEREUM" as const,
  };
}

async function refused(what: string, request: Promise<unknown>) {
  await assert.rejects(request, { code: "POLICY_DENIED" });
  console.log(`${what}: refused`);
}

function userParams(userName: keyof typeof keys) {
  const publicKey = keys[userName].apiPublicKey;
  return {
    userName,
    apiKeys: [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" as const }],
    authenticators: [],
    oauthProviders: [],
  };
}

function clientOf(apiKey: { apiPublicKey: string; apiPrivateKey: string }, organizationId: string) {
  return new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) });
}
