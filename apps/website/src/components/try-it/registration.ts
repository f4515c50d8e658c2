/** A command that registers a public key for the user of a key file, with the SDK. */
export function registrationOf(publicKey: string, service: string): string {
  return `node --input-type=module <<'END'
import { KeyhearthClient } from "@keyhearth/sdk";
import { NodeApiKeyStamper, readApiKeyFile } from "@keyhearth/sdk/server";

const root = await readApiKeyFile("data/root-api-key.json");
const client = new KeyhearthClient({
  baseUrl: ${JSON.stringify(service)},
  organizationId: root.organizationId,
  stamper: new NodeApiKeyStamper(root),
});
const { userId } = await client.whoami();
const apiKeys = [
  {
    apiKeyName: "API reference",
    publicKey: ${JSON.stringify(publicKey)},
    curveType: "API_KEY_CURVE_P256",
  },
];
console.log(await client.createApiKeys({ userId, apiKeys }));
END`;
}
