import { generateKeyPairSync } from "node:crypto";
import { KeyhearthClient } from "@keyhearth/sdk";
import { NodeApiKeyStamper, readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const root = await readApiKeyFile(process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json");
const { organizationId } = root;
const client = new KeyhearthClient({
  baseUrl,
  organizationId,
  stamper: new NodeApiKeyStamper(root),
});

// A new key pair. The private half never leaves this program.
const {
  d = "",
  x = "",
  y = "",
} = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
const hex = (text: string) => Buffer.from(text, "base64url").toString("hex");
const isOdd = Number.parseInt(hex(y).slice(-1), 16) % 2 === 1;
const apiPublicKey = `${isOdd ? "03" : "02"}${hex(x)}`;

// A user of its own for the program, with the public half. It may do nothing yet.
const { userIds } = await client.createUsers({
  users: [
    {
      userName: `Payouts ${new Date().toISOString()}`,
      apiKeys: [{ apiKeyName: "server", publicKey: apiPublicKey, curveType: "API_KEY_CURVE_P256" }],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    },
  ],
});

const stamper = new NodeApiKeyStamper({ apiPublicKey, apiPrivateKey: hex(d) });
const me = await new KeyhearthClient({ baseUrl, organizationId, stamper }).whoami();
console.log(`${me.username} has the id ${userIds[0]}`);
process.exitCode = me.userId === userIds[0] ? 0 : 1;
