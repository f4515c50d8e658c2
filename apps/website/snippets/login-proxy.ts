import { ApiKeyStamper, KeyhearthClient, whoami } from "@keyhearth/sdk";
import { LoginProxy, memoryStorage, SessionKeeper } from "@keyhearth/sdk/browser";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { messagesTo } from "./trial/mailbox.ts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...rootKey } = await readApiKeyFile(rootKeyFile);
const root = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(rootKey) });

// Once: ask the service for the key of this organization's proxy, and switch it on.
const shown = await fetch(`${baseUrl}/proxy/v1/public_key`, {
  method: "POST",
  headers: { "X-Auth-Proxy-Config-ID": organizationId },
});
const { publicKey } = await shown.json();
const origin = "http://localhost:5173";
const settings = {
  publicKey,
  appName: "Example",
  origins: [origin],
  methods: ["email", "passkey"],
};
await root.setOrganizationFeature({
  name: "FEATURE_NAME_AUTH_PROXY",
  value: JSON.stringify(settings),
});
await root.setOrganizationFeature({ name: "FEATURE_NAME_OTP_EMAIL_AUTH" });

// The page, which needs no server of yours. A browser sets `Origin` by itself, and keeps the session across a reload.
const described = await (await fetch(`${baseUrl}/.well-known/keyhearth.json`)).json();
const { sessionPublicKey, verificationPublicKey } = described;
const keeper = new SessionKeeper({
  ...{ baseUrl, organizationId, sessionPublicKey, verificationPublicKey },
  storage: memoryStorage(),
  fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, origin } }),
});
const proxy = new LoginProxy(keeper);
const contact = { otpType: "OTP_TYPE_EMAIL", contact: `ada.${Date.now()}@example.com` } as const;

for (const visit of ["first", "second"]) {
  const sent = await proxy.sendCode(contact);
  // Ada reads the code in her mail. On your machine, the mailbox has it.
  const [{ code }] = await messagesTo(contact.contact);
  const { isNew } = await proxy.logInWithCode({ code, sent, ...contact, userName: "Ada" });
  const { username } = await whoami(keeper.connection());
  console.log(`At the ${visit} visit, ${username} ${isNew ? "signs up" : "logs in"}`);
}
keeper.close();

// Pages of other origins are refused.
const foreign = await fetch(`${baseUrl}/proxy/v1/wallet_kit_config`, {
  method: "POST",
  headers: { "X-Auth-Proxy-Config-ID": organizationId, origin: "https://other.example" },
});
console.log("Another page:", foreign.status);
