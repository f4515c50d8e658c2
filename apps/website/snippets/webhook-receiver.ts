import { createPublicKey, verify } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";

// The keys with which Keyhearth signs deliveries.
const jwks = await fetch(`${baseUrl}/public/v1/discovery/webhooks/jwks`);
const { keys } = (await jwks.json()) as { keys: { kid: string; x: string }[] };

const { promise: verified, resolve } = Promise.withResolvers<string>();
const receiver = createServer(async (request, response) => {
  const body = await readBody(request);
  if (!isGenuine(request, body)) return void response.writeHead(401).end();
  // Answer first and work later: an answer that takes longer than ten seconds counts as none.
  response.writeHead(204).end();
  const activity = JSON.parse(body.toString("utf8"));
  resolve(`${activity.type}: ${activity.status}`);
});
await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
const address = receiver.address();
if (typeof address !== "object" || address === null) throw new Error("the receiver has no port");

// In production the URL is https, and public. For this one, the service runs with
// KEYHEARTH_WEBHOOK_PRIVATE_TARGETS=127.0.0.1.
const rootKey = JSON.parse(await readFile(rootKeyFile, "utf8"));
const { organizationId } = rootKey;
const stamper = new ApiKeyStamper(rootKey);
const client = new KeyhearthClient({ baseUrl, organizationId, stamper });
const { endpointId } = await client.createWebhookEndpoint({
  url: `http://127.0.0.1:${address.port}/keyhearth`,
  name: "my receiver",
});
await client.createUserTag({ userTagName: `Finance ${Date.now()}`, userIds: [] });
console.log(await verified);

await client.deleteWebhookEndpoint({ endpointId });
receiver.closeAllConnections();
receiver.close();

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Whether Keyhearth signed exactly these bytes, within the last five minutes. */
function isGenuine({ headers }: IncomingMessage, body: Buffer): boolean {
  const read = (name: string) => String(headers[`x-turnkey-${name}`] ?? "");
  const timestamp = read("timestamp");
  if (Math.abs(Date.now() - Number(timestamp)) > 5 * 60 * 1000) return false;
  const key = keys.find(({ kid }) => kid === read("signature-key-id"));
  if (!key) return false;
  const signed = `v1.ed25519.${key.kid}.${timestamp}.${read("event-id")}.`;
  const publicKey = createPublicKey({
    format: "jwk",
    key: { kty: "OKP", crv: "Ed25519", x: key.x },
  });
  const signature = Buffer.from(read("signature"), "hex");
  return verify(null, Buffer.concat([Buffer.from(signed), body]), publicKey, signature);
}
