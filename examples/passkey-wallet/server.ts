import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiKeyStamper, InvalidField, KeyhearthClient } from "@keyhearth/sdk";
import { problemOf, type SignUpRequest, signUp } from "./sign-up.ts";
import { createSignUpLimit } from "./sign-up-limit.ts";

// Serves the built page, the facts that it needs, and the one request that needs the parent's API key.

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile =
  process.env.KEYHEARTH_ROOT_KEY ??
  fileURLToPath(new URL("../../data/root-api-key.json", import.meta.url));
const pages = fileURLToPath(new URL("dist/", import.meta.url));
const MAX_BODY = 20_000;
const signUpLimit = createSignUpLimit();
/** The name in the address of the page. Behind a proxy that passes it on, set APP_HOST to your domain. */
let ownHost = process.env.APP_HOST;

// In production, give this server a user who may only create sub-organizations.
const { organizationId, ...apiKey } = JSON.parse(await readRootKey());
const parent = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) });
const config = { baseUrl, organizationId, sessionPublicKey: await sessionPublicKey() };

const server = createServer((request, response) => {
  answer(request).then(
    (reply) => send(response, reply),
    (error) => {
      console.error(error);
      send(response, json(500, { error: "That failed. The server’s log says why." }));
    },
  );
});
server.on("error", (error: Error & { code?: string }) => {
  if (error.code !== "EADDRINUSE") throw error;
  stop("The port is in use. Stop what uses it, or set PORT to another one.");
});
server.listen(Number(process.env.PORT ?? 4100), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // it listens on a port
  // Passkeys belong to a domain name, so the address names localhost and not 127.0.0.1.
  ownHost ??= `localhost:${port}`;
  console.log(`Open http://${ownHost}`);
});

type Reply = { status: number; type: string; body: string | Uint8Array };

async function answer(request: IncomingMessage): Promise<Reply> {
  // Another site can point a name of its own at this machine. Its pages would then count as ours.
  if (request.headers.host !== ownHost) {
    return { status: 421, type: types[".txt"] ?? "", body: `Open http://${ownHost}\n` };
  }
  const [pathname = "/"] = (request.url ?? "/").split("?");
  if (pathname === "/api/config") return json(200, config);
  if (pathname === "/api/sign-up" && request.method === "POST") return handleSignUp(request);
  return page(pathname);
}

async function handleSignUp(request: IncomingMessage): Promise<Reply> {
  const body = await readJson(request);
  const problem = problemOf(body);
  if (problem !== undefined) return json(400, { error: problem });
  // Each sign-up makes an organization that stays, and anybody may ask.
  const address = request.socket.remoteAddress ?? "";
  if (!signUpLimit.isOpenTo(address, Date.now())) {
    return json(429, { error: "Too many people have just signed up. Try again in an hour." });
  }
  try {
    // The service checks what `problemOf` leaves: the passkey.
    const organizationId = await signUp(parent, body as SignUpRequest);
    signUpLimit.count(address, Date.now());
    return json(201, { organizationId });
  } catch (error) {
    if (error instanceof InvalidField) return json(400, { error: error.message });
    throw error;
  }
}

// Asking for JSON by name keeps other pages out: browsers do not send it to other origins unasked.
async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? "")) return undefined;
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MAX_BODY) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};

async function page(pathname: string): Promise<Reply> {
  const name = pathname === "/" ? "/index.html" : pathname;
  const type = types[extname(name)];
  try {
    const path = join(pages, decodeURIComponent(name));
    if (type && path.startsWith(pages)) return { status: 200, type, body: await readFile(path) };
  } catch {
    // There is no such file, or its name is malformed.
  }
  return { status: 404, type: types[".txt"] ?? "", body: "There is no such page.\n" };
}

/** The signer’s public key for sessions. Get it from your operator once, and set it. */
async function sessionPublicKey(): Promise<string> {
  const { KEYHEARTH_SESSION_PUBLIC_KEY } = process.env;
  if (KEYHEARTH_SESSION_PUBLIC_KEY) return KEYHEARTH_SESSION_PUBLIC_KEY;
  // For a trial on this machine, the service’s own word is enough.
  try {
    const described = await fetch(`${baseUrl}/.well-known/keyhearth.json`);
    return (await described.json()).sessionPublicKey;
  } catch {
    return stop(
      `Keyhearth does not answer at ${baseUrl}. Start it with npm start, or set KEYHEARTH_URL to its address.`,
    );
  }
}

async function readRootKey(): Promise<string> {
  try {
    return await readFile(rootKeyFile, "utf8");
  } catch {
    return stop(
      `There is no ${rootKeyFile} that this user can read. Start Keyhearth with npm start, or set KEYHEARTH_ROOT_KEY to root-api-key.json in its data directory.`,
    );
  }
}

/** Ends the start with a sentence for the person at the keyboard. */
function stop(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

function json(status: number, body: object): Reply {
  return { status, type: "application/json", body: JSON.stringify(body) };
}

function send(response: ServerResponse, { status, type, body }: Reply): void {
  response.writeHead(status, {
    "content-type": type,
    "cache-control": "no-store",
    // A page that signs runs only its own code, and talks only to Keyhearth and to this server.
    "content-security-policy": `default-src 'self'; connect-src 'self' ${new URL(baseUrl).origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'`,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
  response.end(body);
}
