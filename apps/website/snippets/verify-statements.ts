import assert from "node:assert/strict";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { verifyAppProof } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);
const { organizationId } = rootKey;

// The key that you pinned. Without one, this sample trusts the host.
const quorumPublicKey = process.env.QUORUM_PUBLIC_KEY ?? (await askHostForQuorumKey());

const client = new KeyhearthClient({
  baseUrl,
  organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

const { walletId, activity } = await client.createWallet(
  {
    walletName: `Verified ${new Date().toISOString()}`,
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  },
  { generateAppProofs: true },
);

// The address: did the signer create it, and is the statement about this wallet and path?
const { accounts } = await client.listWalletAccounts({ walletId });
for (const { address, path, proof } of accounts) {
  assert(verifyAppProof(proof, quorumPublicKey), "this address is not proven");
  assert.deepEqual(JSON.parse(proof.proofPayload).addressDerivationProof, {
    organizationId,
    walletId,
    derivationPath: path,
    address,
  });
  console.log(`The signer derived ${address}`);
}

// The outcome: is the statement about this activity, and does it match the host's answer?
const [proof] = activity.appProofs ?? [];
assert(proof && verifyAppProof(proof, quorumPublicKey), "this outcome is not proven");
const { policyOutcomeProof } = JSON.parse(proof.proofPayload);
assert.equal(policyOutcomeProof.organizationId, organizationId);
assert.equal(policyOutcomeProof.activityId, activity.id);
assert.equal(policyOutcomeProof.fingerprint, activity.fingerprint);
assert.equal(policyOutcomeProof.outcome, "ACTIVITY_STATUS_COMPLETED");
console.log(`The signer decided ${activity.id}: ${policyOutcomeProof.outcome}`);

async function askHostForQuorumKey(): Promise<string> {
  const response = await fetch(`${baseUrl}/.well-known/keyhearth.json`);
  return (await response.json()).quorumPublicKey;
}
