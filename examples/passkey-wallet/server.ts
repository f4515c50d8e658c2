import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { InvalidCredential, KeyhearthClient, KeyhearthError } from "@keyhearth/sdk";
import {
  type ApiKeyFile,
  NodeApiKeyStamper,
  proxyHandler,
  readApiKeyFile,
} from "@keyhearth/sdk/server";
import { signUp } from "./sign-up.ts";
import { createSignUpLimit } from "./sign-up-limit.ts";
import { signUpWithWallet } from "./wallet-sign-up.ts";

// Serves the built pages, the facts that they need, and the requests that need your organization's API key.

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? nearbyKeyFile();
const pages = fileURLToPath(new URL("dist/", import.meta.url));
const MAX_BODY = 20_000;
const signUpLimit = createSignUpLimit();
/** The name in the address of the page. Behind a proxy that passes it on, set APP_HOST to your domain. */
let ownHost = process.env.APP_HOST;

// In production, give this server a user who may only create sub-organizations.
const { organizationId, ...apiKey } = await readRootKey();
const stamper = new NodeApiKeyStamper(apiKey);
// With it, nobody is shown an address that the signer has not proven. The service’s word for it would prove nothing.
const { KEYHEARTH_QUORUM_PUBLIC_KEY: quorumPublicKey } = process.env;
const pinned = quorumPublicKey ? { quorumPublicKey } : {};
const parent = new KeyhearthClient({ baseUrl, organizationId, stamper, ...pinned });
const config = { baseUrl, organizationId, ...pinned, ...(await publicKeys()) };
await checkInstallation();
// What browsers stamped is forwarded as it is.
const forward = proxyHandler({ baseUrl, allow: ["query/whoami"] });

const wantedPort = Number(process.env.PORT ?? 4100);
const server = createServer((incoming, response) => {
  answer(incoming)
    .catch((error) => {
      console.error(error);
      return refuse(500, "That failed. The server’s log says why.");
    })
    .then((reply) => send(response, reply));
});
server.on("error", (error: Error & { code?: string }) => {
  if (error.code !== "EADDRINUSE") throw error;
  stop(`Port ${wantedPort} is in use. Stop what uses it, or set PORT to another one.`);
});
server.listen(wantedPort, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // it listens on a port
  // Passkeys belong to a domain name, so the address names localhost and not 127.0.0.1.
  ownHost ??= `localhost:${port}`;
  console.log(`Open http://${ownHost}`);
});

async function answer(incoming: IncomingMessage): Promise<Response> {
  // Another site can point a name of its own at this machine. Its pages would then count as ours.
  if (incoming.headers.host !== ownHost) return text(421, `Open http://${ownHost}\n`);
  const [pathname = "/"] = (incoming.url ?? "/").split("?");
  if (incoming.method === "GET") {
    return pathname === "/config" ? Response.json(config) : page(pathname);
  }
  const request = await readRequest(incoming);
  if (!request) return refuse(413, "That is too much for a sign-up");
  if (pathname.startsWith("/keyhearth/")) return forward(request);
  const register = signUps[pathname];
  if (!register || request.method !== "POST") return text(404, "There is no such page.\n");
  // Each sign-up makes an organization that stays, and anybody may ask.
  const address = incoming.socket.remoteAddress ?? "";
  if (!signUpLimit.isOpenTo(address, Date.now())) {
    return refuse(429, "Too many people have just signed up. Try again in an hour.");
  }
  const signedUp = await register(parent, request);
  if (signedUp.ok) signUpLimit.count(address, Date.now());
  return signedUp;
}

const signUps: Record<string, typeof signUp> = {
  "/sign-up": signUp,
  "/wallet-sign-up": signUpWithWallet,
};

/** The request in the form that frameworks have, or undefined if its body is too large. */
async function readRequest(incoming: IncomingMessage): Promise<Request | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return new Request(new URL(incoming.url ?? "/", `http://${ownHost}`), {
    method: incoming.method ?? "POST",
    headers: Object.fromEntries(headers),
    ...(size > 0 && { body: Buffer.concat(chunks) }),
  });
}

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

async function page(pathname: string): Promise<Response> {
  const name = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
  const type = types[extname(name)];
  try {
    const path = join(pages, decodeURIComponent(name));
    if (type && path.startsWith(pages)) {
      return new Response(await readFile(path), { headers: { "content-type": type } });
    }
  } catch {
    // There is no such file, or its name is malformed.
  }
  return text(404, "There is no such page.\n");
}

/** The signer’s public keys. Get them from your operator once, and set the one for sessions. */
async function publicKeys() {
  // For a trial on this machine, the service’s own word is enough.
  try {
    const described = await fetch(`${baseUrl}/.well-known/keyhearth.json`);
    const { sessionPublicKey, signerPublicKey } = await described.json();
    const pinned = process.env.KEYHEARTH_SESSION_PUBLIC_KEY;
    return { sessionPublicKey: pinned || sessionPublicKey, signerPublicKey };
  } catch {
    return stop(
      `Keyhearth does not answer at ${baseUrl}. Start it, or set KEYHEARTH_URL to its address.`,
    );
  }
}

/** In the folder where Keyhearth runs, if this one is in it, or in the clone that has this example. */
function nearbyKeyFile(): string {
  const [beside = "", ...others] = ["../", "../../"].map((folder) =>
    fileURLToPath(new URL("data/root-api-key.json", new URL(folder, import.meta.url))),
  );
  return [beside, ...others].find(existsSync) ?? beside;
}

async function readRootKey(): Promise<ApiKeyFile> {
  try {
    return await readApiKeyFile(rootKeyFile);
  } catch (error) {
    if (!(error instanceof InvalidCredential)) throw error;
    return stop(`${error.message}: set KEYHEARTH_ROOT_KEY to it.`);
  }
}

/** A key of another installation would fail at the first sign-up, in front of somebody else. */
async function checkInstallation(): Promise<void> {
  try {
    await parent.whoami();
  } catch (error) {
    const isOther =
      error instanceof KeyhearthError &&
      ["ORGANIZATION_NOT_FOUND", "CREDENTIAL_NOT_FOUND"].includes(error.code);
    if (!isOther) throw error;
    stop(
      `The key in ${rootKeyFile} is of another installation than the one at ${baseUrl}. Set KEYHEARTH_URL to its address, or KEYHEARTH_ROOT_KEY to root-api-key.json of the other one.`,
    );
  }
}

/** Ends the start with a sentence for the person at the keyboard. */
function stop(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

function text(status: number, body: string): Response {
  return new Response(body, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}

function refuse(status: number, error: string): Response {
  return Response.json({ error }, { status });
}

async function send(response: ServerResponse, reply: Response): Promise<void> {
  const body = Buffer.from(await reply.arrayBuffer());
  response.writeHead(reply.status, {
    ...Object.fromEntries(reply.headers),
    "cache-control": "no-store",
    // A page that signs runs only its own code, and talks only to Keyhearth and to this server.
    "content-security-policy": `default-src 'self'; connect-src 'self' ${new URL(baseUrl).origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'`,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
  response.end(body);
}
