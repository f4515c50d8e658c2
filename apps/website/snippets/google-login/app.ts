import { ApiKeyStamper, KeyhearthClient, listWallets, whoami } from "@keyhearth/sdk";
import { memoryStorage, SessionKeeper } from "@keyhearth/sdk/browser";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { createServerUser } from "../server/server-user.ts";
import { addressOfLogin, finishLogin, type Provider } from "./page.ts";
import { oidcBackend } from "./server.ts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...rootKey } = await readApiKeyFile(rootKeyFile);
const root = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(rootKey) });

// Once: a key for your server, which may sign people up and log them in.
const kinds = ["CREATE_SUB_ORGANIZATION", "OAUTH_LOGIN"];
const stamper = await createServerUser(root, "Google logins", kinds);
const backend = oidcBackend(new KeyhearthClient({ baseUrl, organizationId, stamper }));

const provider: Provider = {
  authorizationEndpoint: process.env.PROVIDER ?? "https://accounts.google.com/o/oauth2/v2/auth",
  clientId: process.env.CLIENT_ID ?? "my-app.apps.googleusercontent.com",
  redirectUri: "https://app.example.com/login",
};

async function logIn() {
  const { sessionPublicKey } = await (await fetch(`${baseUrl}/.well-known/keyhearth.json`)).json();
  // In a browser, leave out `storage`: the key then survives the way to Google and back.
  const storage = memoryStorage();
  const keeper = new SessionKeeper({ baseUrl, organizationId, sessionPublicKey, storage });

  // Here a program is the browser. On your page: `location.href = await addressOfLogin(…)`.
  const address = await addressOfLogin(keeper, provider);
  const answer = await fetch(address, { redirect: "manual" });
  await finishLogin(keeper, backend, answer.headers.get("location") ?? address);

  const connection = keeper.connection();
  const { username, organizationId: account } = await whoami(connection);
  const { wallets } = await listWallets(connection);
  console.log(`Logged in as ${username} with ${wallets.length} wallet`);
  keeper.close();
  return account;
}

const first = await logIn();
const second = await logIn();
console.log(`The second login is the same account: ${first === second}`);
