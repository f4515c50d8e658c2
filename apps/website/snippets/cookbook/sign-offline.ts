import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiKeyStamper } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";

// Files that somebody carries from one machine to the other.
const stick = await mkdtemp(join(tmpdir(), "stick-"));
const requestFile = join(stick, "request.json");
const stampFile = join(stick, "stamp.json");

/** With a network and without the key: writes the exact bytes that are to be stamped. */
async function prepare(type: string, organizationId: string, parameters: object) {
  // A request is valid for an hour from this time.
  const timestampMs = String(Date.now());
  await writeFile(requestFile, JSON.stringify({ type, timestampMs, organizationId, parameters }));
}

/** With the key and without a network: shows the request to a person, and stamps its bytes. */
async function stamp(key: { apiPublicKey: string; apiPrivateKey: string }) {
  const body = await readFile(requestFile, "utf8");
  const { type, parameters } = JSON.parse(body);
  console.log(`To stamp: ${type}`);
  console.log(JSON.stringify(parameters, null, 2));
  await writeFile(stampFile, JSON.stringify(await new ApiKeyStamper(key).stamp(body)));
}

/** With a network again: sends the same bytes. Those who carry them can neither change them nor use them twice. */
async function send(path: string) {
  const { name, value } = JSON.parse(await readFile(stampFile, "utf8"));
  const response = await fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", [name]: value },
    body: await readFile(requestFile),
  });
  return { status: response.status, answer: await response.json() };
}

const { organizationId, ...rootKey } = await readApiKeyFile(
  process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json",
);
const { apiPublicKey } = createApiKey();
await prepare("ACTIVITY_TYPE_CREATE_USERS_V3", organizationId, {
  users: [
    {
      userName: "Auditor",
      apiKeys: [{ apiKeyName: "key", publicKey: apiPublicKey, curveType: "API_KEY_CURVE_P256" }],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    },
  ],
});
await stamp(rootKey);
const { status, answer } = await send("/public/v1/submit/create_users");
console.log(`Sent: ${status}, ${answer.activity.status}`);
assert.equal(status, 200);

// The same bytes again are the same activity, and changed ones have no valid stamp.
const again = await send("/public/v1/submit/create_users");
assert.equal(again.answer.activity.id, answer.activity.id);
const request = await readFile(requestFile, "utf8");
await writeFile(requestFile, request.replace("Auditor", "Attacker"));
const changed = await send("/public/v1/submit/create_users");
console.log(`Changed on the way: ${changed.status}`);
assert.equal(changed.status, 401);
await rm(stick, { recursive: true });
