import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { build } from "esbuild";
import { sendRecoveryMail } from "../server/email-recovery.ts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...apiKey } = await readApiKeyFile(rootKeyFile);
const parent = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) });
await parent.setOrganizationFeature({ name: "FEATURE_NAME_EMAIL_RECOVERY", value: "" });

// Ada has one key. While she has it, she allows that a mail recovers a root user.
const email = `ada.${Date.now()}@example.com`;
const { apiPublicKey, apiPrivateKey, curveType } = createApiKey();
const made = await parent.createSubOrganization({
  subOrganizationName: "Ada",
  rootQuorumThreshold: 1,
  rootUsers: [
    {
      userName: "Ada",
      userEmail: email,
      apiKeys: [{ apiKeyName: "Phone", publicKey: apiPublicKey, curveType }],
      authenticators: [],
      oauthProviders: [],
    },
  ],
});
const account = { organizationId: made.subOrganizationId, userId: made.rootUserIds?.[0] ?? "" };
const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
const ada = new KeyhearthClient({ baseUrl, organizationId: account.organizationId, stamper });
await ada.setOrganizationFeature({ name: "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY", value: "" });

const script = fileURLToPath(new URL("page.ts", import.meta.url));
const bundled = await build({ entryPoints: [script], bundle: true, format: "esm", write: false });
const html = `<!doctype html><meta charset="utf-8"><title>Recover</title>
<body data-base-url="${baseUrl}" data-email="${email}"><script type="module" src="/page.js"></script>`;

const server = createServer(async (request, response) => {
  if (request.method === "POST" && request.url === "/recovery-mail") {
    const { email: asked, targetPublicKey } = JSON.parse(await text(request));
    const page = `http://localhost:${port}/`;
    // In an app, look the account up by the address. The answer is the same if there is none.
    const known = asked === email ? account : undefined;
    await sendRecoveryMail(parent, known, { email: asked, targetPublicKey, page });
    console.log("A mail is on its way");
    response.writeHead(202).end();
  } else if (request.url === "/page.js") {
    response.writeHead(200, { "content-type": "text/javascript" });
    response.end(bundled.outputFiles[0]?.text);
  } else {
    response.writeHead(200, { "content-type": "text/html" }).end(html);
  }
});
await new Promise<void>((done) =>
  server.listen(Number(process.env.PORT ?? 4200), "127.0.0.1", done),
);
const { port } = server.address() as AddressInfo; // it listens on a port
console.log(`1. Ada lost her key. Open http://localhost:${port}/ and ask for a mail.`);
console.log(
  "2. Open its link in the same browser, from the mailbox: npm start printed its address.",
);
