import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = "http://localhost:3000";
const { organizationId, ...rootKey } = await readApiKeyFile("../data/root-api-key.json");
const root = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(rootKey) });

// The service shows the key of your proxy. Your organization registers it, with what it may do.
const shown = await fetch(`${baseUrl}/proxy/v1/public_key`, {
  method: "POST",
  headers: { "X-Auth-Proxy-Config-ID": organizationId },
});
const { publicKey } = await shown.json();
const settings = {
  publicKey,
  appName: "My wallet",
  origins: ["http://localhost:5173"],
  methods: ["passkey"],
};
await root.setOrganizationFeature({
  name: "FEATURE_NAME_AUTH_PROXY",
  value: JSON.stringify(settings),
});

// What the page has to know. None of it is secret.
const { sessionPublicKey } = await (await fetch(`${baseUrl}/.well-known/keyhearth.json`)).json();
console.log(`VITE_KEYHEARTH_URL=${baseUrl}
VITE_ORGANIZATION_ID=${organizationId}
VITE_SESSION_PUBLIC_KEY=${sessionPublicKey}`);
