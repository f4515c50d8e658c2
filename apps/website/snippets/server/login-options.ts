import { Connection } from "@keyhearth/sdk";
import { type LoginHandlerOptions, NodeApiKeyStamper, readApiKeyFile } from "@keyhearth/sdk/server";

type Given = { baseUrl: string; keyFile: string; verificationPublicKey: string; origin: string };

/** What your backend’s part of logins may do, and for whom. The key never leaves your server. */
export async function loginOptions(given: Given): Promise<LoginHandlerOptions> {
  const { organizationId, ...key } = await readApiKeyFile(given.keyFile);
  const { baseUrl, verificationPublicKey, origin } = given;
  return {
    connection: new Connection({ baseUrl, organizationId, stamper: new NodeApiKeyStamper(key) }),
    verificationPublicKey,
    origins: [origin],
    methods: ["email", "passkey", "wallet"],
    appName: "Example",
    oauthClientIds: { example: "my-page" },
  };
}
