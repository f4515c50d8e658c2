import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { exportReceipts, verifyReceipts } from "@keyhearth/sdk/crypto";
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

// Do something, and wait until it is sealed. The signer seals about every 5 seconds.
const { activity } = await client.createWallet({
  walletName: `Sealed ${new Date().toISOString()}`,
  accounts: [],
});
const deadline = Date.now() + 20_000;
while ((await client.getReceipts({ activityId: activity.id })).unsealed > 0) {
  assert(Date.now() < deadline, "the activity was not sealed in time");
  await sleep(500);
}

// Export everything into one file. You can verify it anywhere.
const path = join(dirname(rootKeyFile), "receipts.json");
await writeFile(path, JSON.stringify(await exportReceipts(client), null, 2));

// From here on, the file and the key are enough. No service is involved.
const report = verifyReceipts(JSON.parse(await readFile(path, "utf8")), quorumPublicKey);
for (const { code, message } of report.problems) console.error(`${code}: ${message}`);
assert(report.valid, "these receipts do not hold");
assert.equal(report.organizationId, organizationId);
console.log(`${report.receipts} receipts in ${report.segments} segments hold`);
console.log(`The last segment is ${report.lastSegment?.number}: ${report.lastSegment?.digest}`);

// The newest proven version of an activity says what became of it.
const newest = report.statements
  .filter(({ activityId }) => activityId === activity.id)
  .sort((a, b) => b.activityVersion - a.activityVersion)[0];
assert.equal(newest?.fingerprint, activity.fingerprint);
console.log(`${newest.activityType}: ${newest.status}`);

async function askHostForQuorumKey(): Promise<string> {
  const response = await fetch(`${baseUrl}/.well-known/keyhearth.json`);
  return (await response.json()).quorumPublicKey;
}
