import { ApiKeyStamper, ConsensusNeeded, KeyhearthClient, type WalletParams } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { parseGwei, serializeTransaction } from "viem";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...rootKey } = await readApiKeyFile(rootKeyFile);
const parent = new KeyhearthClient({
  baseUrl,
  organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

// In an app, Ada’s key is a passkey of her browser, and yours is on your server.
const [ada, business] = [createApiKey(), createApiKey()];
const user = (userName: string, { apiPublicKey: publicKey, curveType }: typeof ada) => ({
  userName,
  apiKeys: [{ apiKeyName: userName, publicKey, curveType }],
  authenticators: [],
  oauthProviders: [],
});
const wallet: WalletParams = {
  walletName: "Main",
  accounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
  ],
};
const as = (key: typeof ada, id: string) =>
  new KeyhearthClient({ baseUrl, organizationId: id, stamper: new ApiKeyStamper(key) });
const signing = {
  type: "TRANSACTION_TYPE_ETHEREUM",
  unsignedTransaction: serializeTransaction({
    chainId: 1,
    nonce: 0,
    to: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: parseGwei("20"),
    maxPriorityFeePerGas: parseGwei("1"),
  }),
} as const;
const payment = (signWith: string) => ({ ...signing, signWith });

// 1. The user’s own wallet: Ada alone is the root user.
const own = await parent.createSubOrganization({
  subOrganizationName: "Ada’s own wallet",
  rootQuorumThreshold: 1,
  rootUsers: [user("Ada", ada)],
  wallet,
});
const [ownAddress = ""] = own.wallet?.addresses ?? [];
await as(ada, own.subOrganizationId).signTransaction(payment(ownAddress));
console.log("Own: Ada signs alone");
const notHers = parent.signTransaction(payment(ownAddress), {
  organizationId: own.subOrganizationId,
});
await notHers.catch(() => console.log("Own: the business can’t sign"));

// 2. The business’s wallet: Ada has an account with you, and none here.
const held = await parent.createSubOrganization({
  subOrganizationName: "Held for Ada",
  rootQuorumThreshold: 1,
  rootUsers: [user("Business", business)],
  wallet,
});
const [heldAddress = ""] = held.wallet?.addresses ?? [];
const server = as(business, held.subOrganizationId);
await server.createWalletAccounts({
  walletId: held.wallet?.walletId ?? "",
  accounts: [{ ...wallet.accounts[0], path: "m/44'/60'/0'/0/1" }],
});
await server.signTransaction(payment(heldAddress));
console.log("Held: the business signs alone");

// 3. A shared wallet: both are root users, and both must stamp the same request.
const shared = await parent.createSubOrganization({
  subOrganizationName: "Shared with Ada",
  rootQuorumThreshold: 2,
  rootUsers: [user("Ada", ada), user("Business", business)],
  wallet,
});
const [sharedAddress = ""] = shared.wallet?.addresses ?? [];
try {
  await as(ada, shared.subOrganizationId).signTransaction(payment(sharedAddress));
} catch (error) {
  if (!(error instanceof ConsensusNeeded)) throw error;
  console.log("Shared: Ada’s signature waits");
  // Your server decides about the bytes that Ada stamped, not about what the API says they were.
  const { activity } = await as(business, shared.subOrganizationId).approve(
    error.activity.id,
    ({ type, parameters }) =>
      type === "ACTIVITY_TYPE_SIGN_TRANSACTION_V2" &&
      parameters.unsignedTransaction === signing.unsignedTransaction,
  );
  console.log(`Shared: ${activity.status}`);
}
