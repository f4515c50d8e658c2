import { ApiKeyStamper, KeyhearthClient, PermissionDenied } from "@keyhearth/sdk";
import { createApiKey, createTargetKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { createEmailUser } from "./server/email-user.ts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...rootKey } = await readApiKeyFile(rootKeyFile);
const root = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(rootKey) });

// Once: the root quorum switches logins by mail on.
await root.setOrganizationFeature({ name: "FEATURE_NAME_EMAIL_AUTH", value: "" });

// Once: your server gets a user and a key of its own, which may start logins.
const { apiPublicKey, apiPrivateKey, curveType } = createApiKey();
const { userIds } = await root.createUsers({
  users: [
    {
      userName: "Login server",
      apiKeys: [{ apiKeyName: "Production", publicKey: apiPublicKey, curveType }],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    },
  ],
});
await root.createPolicy({
  policyName: `The login server starts logins ${Date.now()}`,
  effect: "EFFECT_ALLOW",
  condition: "activity.resource == 'AUTH' && activity.action == 'CREATE'",
  consensus: `approvers.any(user, user.id == '${userIds[0]}')`,
  notes: "",
});

// With that key, the server sends a mail to a user of a sub-organization, and no more than that.
const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
const server = new KeyhearthClient({ baseUrl, organizationId, stamper });
const email = `ada.${Date.now()}@example.com`;
const { subOrganizationId } = await createEmailUser(root, email);
const { targetPublicKey } = createTargetKey();
const login = { email, targetPublicKey, emailCustomization: { appName: "Example" } };
await server.emailAuth(login, { organizationId: subOrganizationId });
console.log("The mail is on its way");
try {
  await createEmailUser(server, "mallory@example.com");
} catch (error) {
  console.log("Signing somebody up is denied:", error instanceof PermissionDenied);
}
