import { ApiKeyStamper, createWallet, KeyhearthClient, listWallets, whoami } from "@keyhearth/sdk";
import { memoryStorage, SessionKeeper } from "@keyhearth/sdk/browser";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { askForMail, type EmailBackend, openMail } from "./browser/email-login.ts";
import { type Accounts, sendLoginMail } from "./server/email-login.ts";
import { createEmailUser } from "./server/email-user.ts";
import { messagesTo } from "./trial/mailbox.ts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...apiKey } = await readApiKeyFile(rootKeyFile);

// Your server: the feature is switched on once, and Ada has signed up before.
const parent = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) });
await parent.setOrganizationFeature({ name: "FEATURE_NAME_EMAIL_AUTH", value: "" });
const email = `ada.${Date.now()}@example.com`;
const { subOrganizationId } = await createEmailUser(parent, email);
const accounts: Accounts = new Map([[email, subOrganizationId]]);

// The page. Its backend calls your server; here both are in one program.
const backend: EmailBackend = {
  sendLoginMail: (request) => sendLoginMail(parent, accounts, request),
};
const { sessionPublicKey } = await (await fetch(`${baseUrl}/.well-known/keyhearth.json`)).json();
const options = { baseUrl, organizationId, sessionPublicKey };
// In a browser, leave out `storage`: the session then survives a reload.
const keeper = new SessionKeeper({ ...options, storage: memoryStorage() });
const targetPrivateKey = await askForMail(backend, email);

// Ada copies the bundle from her mail. On your machine, the mailbox has it.
const [{ credentialBundle }] = await messagesTo(email);

// A key other than the one that asked opens nothing.
const other = createTargetKey();
const stolen = openMail(keeper, { ...other, credentialBundle });
await stolen.catch((error) => console.log(`With another key: ${error.name}`));

const session = await openMail(keeper, { credentialBundle, targetPrivateKey });
console.log(`Logged in for ${Math.round((session.expiresAtMs - Date.now()) / 60_000)} minutes`);

// Reads and writes. No prompt, no mail.
const connection = keeper.connection();
const { username } = await whoami(connection);
console.log(`The session is ${username === email ? "Ada’s" : "somebody else’s"}`);
await createWallet(connection, { walletName: "Savings", accounts: [] });
const { wallets } = await listWallets(connection);
console.log(wallets.map(({ walletName }) => walletName).sort());
keeper.close();
