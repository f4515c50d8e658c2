import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, userId, ...apiKey } = await readApiKeyFile(rootKeyFile);
const user = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) });

// Make the session's key here. Its private half is never sent.
const { apiPublicKey, apiPrivateKey } = createApiKey();

// The user stamps the login, and from then on the new key stamps for five minutes.
await user.stampLogin({ publicKey: apiPublicKey, expirationSeconds: "300" });
const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
const session = new KeyhearthClient({ baseUrl, organizationId, stamper });
const { username } = await session.whoami();
console.log(`Logged in as ${username}`);

// End this session and all others of the user.
await session.logOutEverywhere({ userId });
try {
  await session.whoami();
} catch (error) {
  console.log(error instanceof Error ? error.name : error);
}
