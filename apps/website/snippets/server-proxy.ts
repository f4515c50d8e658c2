import { once } from "node:events";
import { KeyhearthClient } from "@keyhearth/sdk";
import { expressProxyHandler, NodeApiKeyStamper, readApiKeyFile } from "@keyhearth/sdk/server";
import express from "express";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";

// The backend: it forwards two endpoints, in front of everything that parses bodies.
const app = express();
const allow = ["query/whoami", "submit/sign_raw_payload"] as const;
app.use("/keyhearth", expressProxyHandler({ baseUrl, allow }));
app.use(express.json());
const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const address = server.address();
const port = typeof address === "object" ? address?.port : undefined;

// The client, which stamps its requests itself. In a browser, the stamper would be a passkey's.
const { organizationId, apiPublicKey, apiPrivateKey } = await readApiKeyFile(rootKeyFile);
const client = new KeyhearthClient({
  baseUrl: `http://127.0.0.1:${port}/keyhearth`,
  organizationId,
  stamper: new NodeApiKeyStamper({ apiPublicKey, apiPrivateKey }),
});
const { username } = await client.whoami();
console.log(`Through the proxy: ${username}`);

// Everything else stays in front of it.
await client.listWallets().catch((error) => console.log(error.code));
server.close();
