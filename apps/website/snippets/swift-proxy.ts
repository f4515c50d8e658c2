import { createServer, type IncomingMessage } from "node:http";
import { ApiKeyStamper } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, apiPublicKey, apiPrivateKey } = await readApiKeyFile(rootKeyFile);
const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });

// What a stranger may ask your key to stamp. Everything else the app's users stamp themselves.
const allowedPath = "/public/v1/submit/create_sub_organization";
const maxBytes = 64 * 1024;

const proxy = createServer(async (request, response) => {
  // The app says where its request belongs. Only the path counts: where to send it is not the app's choice.
  const path = pathOf(request.headers["x-turnkey-request-url"]);
  const body = await readBody(request);
  if (path !== allowedPath || body === undefined || !isForUs(body)) {
    response.writeHead(403, { "content-type": "application/json" });
    return void response.end(JSON.stringify({ code: 7, message: "not allowed", details: [] }));
  }
  // No header of the app goes on. The stamp is over the body as it came.
  const stamp = await stamper.stamp(body);
  try {
    const answer = await fetch(baseUrl + allowedPath, {
      method: "POST",
      headers: { "content-type": "application/json", [stamp.name]: stamp.value },
      body,
      signal: AbortSignal.timeout(30_000),
    });
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(await answer.text());
  } catch {
    response.writeHead(503, { "content-type": "application/json" });
    response.end(JSON.stringify({ code: 14, message: "the service is not there", details: [] }));
  }
});

function pathOf(url: string | string[] | undefined): string | undefined {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).pathname : undefined;
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Whether the request acts in your organization, and in no other that your key can reach. */
function isForUs(body: string): boolean {
  try {
    return JSON.parse(body).organizationId === organizationId;
  } catch {
    return false;
  }
}

// Try it: somebody signs up, and a stranger asks for a signature.
await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
const address = proxy.address();
if (typeof address !== "object" || address === null) throw new Error("the proxy has no port");

const signUp = {
  subOrganizationName: `Ada ${crypto.randomUUID()}`,
  rootQuorumThreshold: 1,
  rootUsers: [
    {
      userName: "Ada",
      userEmail: "ada@example.com",
      apiKeys: [],
      authenticators: [],
      oauthProviders: [],
    },
  ],
};
const type = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7";
console.log("sign up:", await ask("create_sub_organization", type, signUp));
console.log("sign:", await ask("sign_raw_payload", "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", {}));
proxy.closeAllConnections();
proxy.close();

async function ask(name: string, type: string, parameters: object): Promise<number> {
  const { port } = address as { port: number }; // checked above
  const answer = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "x-turnkey-request-url": `${baseUrl}/public/v1/submit/${name}` },
    body: JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters }),
  });
  return answer.status;
}
