import { fileURLToPath } from "node:url";
import { InvalidField, KeyhearthClient } from "@keyhearth/sdk";
import { expressProxyHandler, NodeApiKeyStamper, readApiKeyFile } from "@keyhearth/sdk/server";
import { build } from "esbuild";
import express, { type NextFunction, type Request, type Response } from "express";
import { signUp } from "./sign-up.ts";
import { signUpWithWallet } from "./wallet-sign-up.ts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
/** The name in the address of the pages. In production, your domain. */
let ownHost = "";

// The key of your own organization. It stays here: no answer below contains it.
const { organizationId, ...apiKey } = await readApiKeyFile(rootKeyFile);
const stamper = new NodeApiKeyStamper(apiKey);
const parent = new KeyhearthClient({ baseUrl, organizationId, stamper });

// For a trial, the service's own word is enough. In production, pin the keys that your operator gave you.
const described = await fetch(`${baseUrl}/.well-known/keyhearth.json`);
const { sessionPublicKey, signerPublicKey } = await described.json();

const app = express();
// Another site can point a name of its own at this machine. Its pages would then count as ours.
app.use((request, response, next) => {
  if (request.headers.host === ownHost) return next();
  response.status(421).json({ error: `open http://${ownHost}` });
});
// Anybody may sign up, and each sign-up makes an organization that stays.
let signUps = 0;
setInterval(() => {
  signUps = 0;
}, 3_600_000).unref();
app.use(["/sign-up", "/wallet-sign-up"], (_request, response, next) => {
  if (signUps < 100) return next();
  response.status(429).json({ error: "too many people have just signed up; try again in an hour" });
});
// What browsers stamped is forwarded as it is, so this comes before everything that parses bodies.
app.use("/keyhearth", expressProxyHandler({ baseUrl, allow: ["query/whoami"] }));
app.use(express.json({ limit: "20kb" }));
app.get("/config", (_request, response) => {
  response.json({ baseUrl, organizationId, sessionPublicKey, signerPublicKey });
});
app.post("/sign-up", async (request, response) => {
  const signedUp = await signUp(parent, request.body ?? {});
  signUps += 1;
  response.json(signedUp);
});
app.post("/wallet-sign-up", async (request, response) => {
  const signedUp = await signUpWithWallet(parent, request.body ?? {});
  signUps += 1;
  response.json(signedUp);
});
app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
  // The service names the fields that are wrong. Everything else stays in this server's log.
  if (!(error instanceof InvalidField)) return next(error);
  response.status(400).json({ error: error.message });
});

// The pages. Your own app has one, and a tool that builds it.
const folder = fileURLToPath(new URL(".", import.meta.url));
const pages = [
  "integration",
  "create-sub-org-passkey",
  "authenticate-user-passkey",
  "create-passkey-session",
  "add-credential",
  "wallet-auth",
  "react",
];
await build({
  absWorkingDir: folder,
  entryPoints: pages.flatMap((page) => [`./${page}/index.html`, `./${page}/main`]),
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  jsx: "automatic",
  loader: { ".html": "copy" },
});
app.use(express.static(`${folder}dist`));

const server = app.listen(Number(process.env.PORT ?? 4100), "127.0.0.1", (error) => {
  // Express also calls this if the port is in use.
  if (error) throw error;
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  // Passkeys belong to a domain name, so the address names localhost and not 127.0.0.1.
  ownHost = `localhost:${port}`;
  console.log(`Open http://${ownHost}/create-sub-org-passkey/`);
});
