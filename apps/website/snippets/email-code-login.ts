import { ApiKeyStamper, KeyhearthClient, type PermissionDenied, whoami } from "@keyhearth/sdk";
import {
  type CodeBackend,
  logInWithCode,
  memoryStorage,
  SessionKeeper,
  sendCode,
} from "@keyhearth/sdk/browser";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { createEmailUser } from "./server/email-user.ts";
import { createServerUser } from "./server/server-user.ts";
import { messagesTo } from "./trial/mailbox.ts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...rootKey } = await readApiKeyFile(rootKeyFile);
const root = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(rootKey) });

// Once: switch it on, and give your server a key that may do these three things.
await root.setOrganizationFeature({ name: "FEATURE_NAME_OTP_EMAIL_AUTH" });
const kinds = ["INIT_OTP", "VERIFY_OTP", "OTP_LOGIN"];
const stamper = await createServerUser(root, "Login server", kinds);

// Once for each person, when they sign up.
const email = `ada.${Date.now()}@example.com`;
const { subOrganizationId } = await createEmailUser(root, email);

// Your server passes on what the page asks for, with its own key.
const server = new KeyhearthClient({ baseUrl, organizationId, stamper });
const backend: CodeBackend = {
  initOtp: (contact) => server.initOtp({ ...contact, appName: "Example" }),
  verifyOtp: (request) => server.verifyOtp(request),
  otpLogin: (request) => server.otpLogin(request, { organizationId: subOrganizationId }),
};

// The page. In a browser, leave out `storage`: the session then survives a reload.
const described = await (await fetch(`${baseUrl}/.well-known/keyhearth.json`)).json();
const { sessionPublicKey, verificationPublicKey } = described;
const keys = { sessionPublicKey, verificationPublicKey };
const keeper = new SessionKeeper({ baseUrl, organizationId, ...keys, storage: memoryStorage() });
const sent = await sendCode(backend, { otpType: "OTP_TYPE_EMAIL", contact: email });

// Ada reads the code in her mail. On your machine, the mailbox has it.
const [{ code, subject, text }] = await messagesTo(email);
console.log(`${subject}\n\n${text.trim().replace(code, "XXXXXXXXX")}\n`);

await logInWithCode(keeper, backend, { code, sent });
const { username } = await whoami(keeper.connection());
console.log(`Logged in as ${username === email ? "Ada" : username}`);
keeper.close();

// The server's key can’t do anything else.
const refused = createEmailUser(server, "mallory@example.com");
await refused.catch((error) => console.log("Sign up:", (error as PermissionDenied).code));
