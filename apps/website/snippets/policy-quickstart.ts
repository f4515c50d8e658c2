import { ApiKeyStamper, ConsensusNeeded, KeyhearthClient, KeyhearthError } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { formatEther, parseEther, parseGwei, parseTransaction, serializeTransaction } from "viem";

// 1. A sub-organization to experiment in, with a root user, a wallet, and two
// users without any rights: Bot, a program, and Ada, a person.
const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId: parentId, ...parentKey } = await readApiKeyFile(rootKeyFile);

const keys = { Root: createApiKey(), Bot: createApiKey(), Ada: createApiKey() };
const { subOrganizationId, wallet } = await clientOf(parentKey, parentId).createSubOrganization({
  subOrganizationName: "Policy quickstart",
  rootQuorumThreshold: 1,
  rootUsers: [userParams("Root")],
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
const bot = clientOf(keys.Bot, subOrganizationId);
const ada = clientOf(keys.Ada, subOrganizationId);
const { userIds } = await root.createUsers({
  users: [
    { ...userParams("Bot"), userTags: [] },
    { ...userParams("Ada"), userTags: [] },
  ],
});
const [botId = "", adaId = ""] = userIds;
const treasury = wallet?.addresses[0] ?? "";
const supplier = "0x8ba1f109551bD432803012645Ac136ddd64DBA72";

// 2. Bot asks for a signature, but nothing allows it.
await bot.signTransaction(payment("0.005")).then(
  () => {
    throw new Error("without a policy, this should be denied");
  },
  (error) => {
    if (!(error instanceof KeyhearthError)) throw error;
    console.log(error.httpStatus, error.serviceMessage);
    console.log(JSON.stringify(error.details, null, 2));
  },
);

// 3. The root user creates a policy: Bot may pay the supplier, a little at a time.
await root.createPolicy({
  policyName: "Bot pays the supplier",
  effect: "EFFECT_ALLOW",
  consensus: `approvers.any(user, user.id == '${botId}')`,
  condition: [
    "activity.kind == 'SIGN_TRANSACTION'",
    `wallet.id == '${wallet?.walletId}'`,
    "eth.tx.chain_id == 1",
    `eth.tx.to == '${supplier}'`,
    "eth.tx.value <= 10000000000000000",
  ].join(" && "),
});
const { signedTransaction } = await bot.signTransaction(payment("0.005"));
const { value = 0n } = parseTransaction(`0x${signedTransaction}`);
console.log(`${formatEther(value)} ETH: signed`);

// 4. Would 0.5 ETH be allowed? Ask without doing it. The trace shows what decided.
const dryRun = await bot.simulateActivity({
  activity: { type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", parameters: payment("0.5") },
});
console.log(`0.5 ETH: ${dryRun.outcome}`);
for (const { clause, value, steps } of dryRun.evaluations.flatMap(({ trace }) => trace)) {
  console.log(`  ${clause}: ${value}`);
  for (const step of steps.filter(({ depth }) => depth > 0)) {
    console.log(`${" ".repeat(2 + 2 * step.depth)}${step.text} -> ${step.value}`);
  }
}

// 5. Larger payments also need a person: Bot asks, and Ada approves.
await root.createPolicy({
  policyName: "Bot and Ada pay the supplier",
  effect: "EFFECT_ALLOW",
  consensus: [botId, adaId].map((id) => `approvers.any(user, user.id == '${id}')`).join(" && "),
  condition: [
    "activity.kind == 'SIGN_TRANSACTION'",
    `wallet.id == '${wallet?.walletId}'`,
    "eth.tx.chain_id == 1",
    `eth.tx.to == '${supplier}'`,
    "eth.tx.value <= 1000000000000000000",
  ].join(" && "),
});
const waiting = await bot.signTransaction(payment("0.5")).catch((error) => error);
if (!(waiting instanceof ConsensusNeeded)) throw waiting;
console.log(`0.5 ETH: ${waiting.activity.status}`);

// Ada sees the request exactly as Bot stamped it, and decides.
const { activity } = await ada.approve(waiting.activity.id, ({ parameters }) => {
  return parameters.unsignedTransaction === payment("0.5").unsignedTransaction;
});
console.log(`0.5 ETH, approved by Ada: ${activity.status}`);
process.exitCode = activity.status === "ACTIVITY_STATUS_COMPLETED" ? 0 : 1;

// What the steps share.
function payment(ether: string) {
  const unsigned = serializeTransaction({
    type: "eip1559",
    chainId: 1,
    nonce: 7,
    to: supplier,
    value: parseEther(ether),
    gas: 21_000n,
    maxFeePerGas: parseGwei("20"),
    maxPriorityFeePerGas: parseGwei("1"),
  });
  return {
    signWith: treasury,
    unsignedTransaction: unsigned.slice(2),
    type: "TRANSACTION_TYPE_ETHEREUM" as const,
  };
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
