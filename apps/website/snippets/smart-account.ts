import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { createViemAccount } from "@keyhearth/sdk/viem";
import { createClient, custom, type PrivateKeyAccount, parseEther, verifyTypedData } from "viem";
import {
  entryPoint08Address,
  getUserOperationTypedData,
  toSimple7702SmartAccount,
} from "viem/account-abstraction";
import { sepolia } from "viem/chains";
import { verifyAuthorization } from "viem/utils";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...rootKey } = await readApiKeyFile(rootKeyFile);
const root = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(rootKey) });

// The owner of the smart account is a key of a wallet.
const { walletId, addresses } = await root.createWallet({
  walletName: `Smart account ${Date.now()}`,
  accounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
  ],
});
const owner = await createViemAccount({
  connection: root,
  signWith: addresses[0] ?? "",
  walletId,
});

// Your node. Nothing here asks it for more than the chain.
const transport = custom({ request: async () => `0x${sepolia.id.toString(16)}` });
const client = createClient({ chain: sepolia, transport });
const account = await toSimple7702SmartAccount({
  client,
  // The type asks for a private key, and the function only for what this account has.
  owner: owner as unknown as PrivateKeyAccount,
});

// Once: the owner allows this code for its address (EIP-7702).
const authorization = await owner.signAuthorization({
  chainId: sepolia.id,
  address: account.authorization.address,
  nonce: 0,
});
const isAllowed = await verifyAuthorization({ address: owner.address, authorization });
console.log(`The authorization is the owner’s: ${isAllowed}`);

// Two payments in one user operation (ERC-4337, version 0.8). A paymaster may pay for its gas.
const supplier = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const callData = await account.encodeCalls([
  { to: supplier, value: parseEther("0.001"), data: "0x" },
  { to: supplier, value: parseEther("0.002"), data: "0x" },
]);
const operation = {
  sender: account.address,
  nonce: 0n,
  callData,
  callGasLimit: 200_000n,
  verificationGasLimit: 200_000n,
  preVerificationGas: 60_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
  signature: "0x",
} as const;
const signature = await account.signUserOperation(operation);
const typedData = getUserOperationTypedData({
  chainId: sepolia.id,
  entryPointAddress: entryPoint08Address,
  userOperation: operation,
});
const isSigned = await verifyTypedData({ ...typedData, address: owner.address, signature });
console.log(`The user operation is signed by the owner: ${isSigned}`);

// A program that may sign user operations of this wallet, for one entry point on one chain, and nothing else.
const key = createApiKey();
const { userIds } = await root.createUsers({
  users: [
    {
      userName: "Operations",
      apiKeys: [{ apiKeyName: "Server", publicKey: key.apiPublicKey, curveType: key.curveType }],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    },
  ],
});
await root.createPolicy({
  policyName: `Operations of ${walletId}`,
  effect: "EFFECT_ALLOW",
  consensus: `approvers.any(user, user.id == '${userIds[0]}')`,
  condition: [
    "activity.kind == 'SIGN_RAW_PAYLOAD'",
    `wallet.id == '${walletId}'`,
    "eth.eip_712.primary_type == 'PackedUserOperation'",
    `eth.eip_712.domain.chain_id == ${sepolia.id}`,
    `eth.eip_712.domain.verifying_contract == '${entryPoint08Address}'`,
  ].join(" && "),
  notes: "",
});
const { apiPublicKey, apiPrivateKey } = key;
const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
const connection = new KeyhearthClient({ baseUrl, organizationId, stamper });
const signer = await createViemAccount({ connection, signWith: owner.address, walletId });
const signedAgain = await signer.signTypedData(typedData);
console.log(`The program signs the same: ${signedAgain === signature}`);
const message = signer.signMessage({ message: "Anything else" });
await message.catch((error) => console.log(`Anything else: ${error.code}`));
