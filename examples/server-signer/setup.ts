import { createECDH } from "node:crypto";
import { existsSync } from "node:fs";
import type { Address } from "viem";
import { main } from "./explain.ts";
import {
  approverFile,
  clientOf,
  type Member,
  read,
  readRootKey,
  serverFile,
  write,
} from "./files.ts";
import { payoutPolicies } from "./policies.ts";

// Creates the wallet, the server's user, the approver and the policies, once. It is the only program
// that needs the root key.

await main(async () => {
  if (existsSync(serverFile)) {
    // The service may not be that of the last time.
    await clientOf(await read<Member>(serverFile)).whoami();
    console.log(`Already set up: ${serverFile}`);
  } else {
    await setUp();
    console.log(
      `Created the wallet, two users and the policies. Keys: ${serverFile}, ${approverFile}`,
    );
  }
});

async function setUp(): Promise<void> {
  const rootKey = await readRootKey();
  const root = clientOf(rootKey);
  const { organizationId } = rootKey;
  // Names are unique in an organization.
  const suffix = new Date().toISOString();

  const { addresses } = await root.createWallet({
    walletName: `Payouts ${suffix}`,
    accounts: [0, 1].map((index) => ({
      curve: "CURVE_SECP256K1" as const,
      pathFormat: "PATH_FORMAT_BIP32" as const,
      path: `m/44'/60'/0'/0/${index}`,
      addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
    })),
  });
  // Addresses of this format begin with 0x, and the result has one for each account.
  const [smallAccount, largeAccount] = addresses as [Address, Address];

  const keys = { server: createApiKey(), approver: createApiKey() };
  const { userIds } = await root.createUsers({
    users: [
      user(`Payout server ${suffix}`, keys.server.apiPublicKey),
      user(`Payout approver ${suffix}`, keys.approver.apiPublicKey),
    ],
  });
  const [serverId = "", approverId = ""] = userIds;
  await root.createPolicies({
    policies: payoutPolicies({ serverId, approverId, smallAccount, largeAccount }).map(
      (policy) => ({ ...policy, policyName: `${policy.policyName} (${suffix})` }),
    ),
  });

  const accounts = { smallAccount, largeAccount };
  const approves = { serverPublicKey: keys.server.apiPublicKey, largeAccount };
  await write(approverFile, { organizationId, userId: approverId, ...keys.approver, ...approves });
  // Last, because this file says that the setup is complete.
  await write(serverFile, { organizationId, userId: serverId, ...keys.server, ...accounts });
}

function user(userName: string, publicKey: string) {
  return {
    userName,
    apiKeys: [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" as const }],
    authenticators: [],
    oauthProviders: [],
    userTags: [],
  };
}

function createApiKey() {
  const keyPair = createECDH("prime256v1");
  keyPair.generateKeys();
  return {
    apiPublicKey: keyPair.getPublicKey("hex", "compressed"),
    apiPrivateKey: keyPair.getPrivateKey("hex").padStart(64, "0"),
  };
}
