import { createServer, type IncomingMessage } from "node:http";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { verifyWebhook } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);
const { organizationId } = rootKey;

// The keys with which Keyhearth signs deliveries, to you and to everybody else.
const jwks = await (await fetch(`${baseUrl}/public/v1/discovery/webhooks/jwks`)).json();
const handled = new Set<string>();

const { promise: verified, resolve } = Promise.withResolvers<string>();
const receiver = createServer(async (request, response) => {
  const body = await readBody(request);
  try {
    const { activity } = verifyWebhook({
      headers: request.headers,
      body,
      jwks,
      // A parent also accepts the sub-organizations that it remembers.
      isOurs: (id) => id === organizationId,
    });
    // Answer first and work later: an answer that takes longer than ten seconds counts as none.
    response.writeHead(204).end();
    // Not by the event id: the same activity may come from several endpoints.
    const event = `${activity.id} ${activity.status}`;
    if (handled.has(event)) return;
    handled.add(event);
    resolve(`${activity.type}: ${activity.status}`);
  } catch {
    response.writeHead(401).end();
  }
});
await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
const address = receiver.address();
if (typeof address !== "object" || address === null) throw new Error("the receiver has no port");

// In production the URL is https, and public. For this one, the service runs with
// KEYHEARTH_WEBHOOK_PRIVATE_TARGETS=127.0.0.1.
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
