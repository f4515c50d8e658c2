import { randomInt } from "node:crypto";
import { ApiKeyStamper, KeyhearthClient, whoami } from "@keyhearth/sdk";
import {
  type CodeBackend,
  logInWithCode,
  memoryStorage,
  SessionKeeper,
  sendCode,
} from "@keyhearth/sdk/browser";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { messagesTo } from "./trial/mailbox.ts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...apiKey } = await readApiKeyFile(rootKeyFile);
const parent = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) });

// Once: your organization switches it on. Its new sub-organizations have it already.
await parent.setOrganizationFeature({ name: "FEATURE_NAME_SMS_AUTH", value: "" });

// Ada’s sub-organization knows her number, in E.164 form.
const userPhoneNumber = `+1415555${randomInt(1000, 10_000)}`;
const { subOrganizationId } = await parent.createSubOrganization({
  subOrganizationName: `Ada ${Date.now()}`,
  rootQuorumThreshold: 1,
  rootUsers: [
    { userName: "Ada", userPhoneNumber, apiKeys: [], authenticators: [], oauthProviders: [] },
  ],
});

// The page. These three functions call your server; here both are in one program.
const described = await (await fetch(`${baseUrl}/.well-known/keyhearth.json`)).json();
const { sessionPublicKey, verificationPublicKey } = described;
const keys = { sessionPublicKey, verificationPublicKey };
const keeper = new SessionKeeper({ baseUrl, organizationId, ...keys, storage: memoryStorage() });
const smsCustomization = { template: "{{.OtpCode}} logs you in to Example" };
const backend: CodeBackend = {
  initOtp: (contact) =>
    parent.initOtp({
      ...contact,
      appName: "Example",
      otpLength: 6,
      alphanumeric: false,
      smsCustomization,
    }),
  verifyOtp: (request) => parent.verifyOtp(request),
  otpLogin: (request) => parent.otpLogin(request, { organizationId: subOrganizationId }),
};
const sent = await sendCode(backend, { otpType: "OTP_TYPE_SMS", contact: userPhoneNumber });

// Ada reads the code on her phone. On your machine, the mailbox has it.
const [{ code, text }] = await messagesTo(userPhoneNumber);
console.log(
  text === smsCustomization.template.replace("{{.OtpCode}}", code) ? "SMS: your text" : text,
);

await logInWithCode(keeper, backend, { code, sent });
const { username } = await whoami(keeper.connection());
console.log(`Logged in as ${username} with a code of ${code.length} digits`);
keeper.close();
