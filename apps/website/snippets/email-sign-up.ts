import { ApiKeyStamper, KeyhearthClient, updateUserEmail, whoami } from "@keyhearth/sdk";
import { logInWithCode, memoryStorage, SessionKeeper, sendCode } from "@keyhearth/sdk/browser";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { startVisit } from "./server/email-sign-up.ts";
import { messagesTo } from "./trial/mailbox.ts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...apiKey } = await readApiKeyFile(rootKeyFile);
const parent = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) });
await parent.setOrganizationFeature({ name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: "" });

// The page. Its functions call your server; here both are in one program.
const described = await fetch(`${baseUrl}/.well-known/keyhearth.json`);
const { sessionPublicKey, verificationPublicKey } = await described.json();
const keys = { sessionPublicKey, verificationPublicKey };
const keeper = new SessionKeeper({ baseUrl, organizationId, ...keys, storage: memoryStorage() });
const visit = startVisit(parent);
let verificationToken = "";
const backend = {
  ...visit,
  async verifyOtp(request: Parameters<typeof visit.verifyOtp>[0]) {
    const answer = await visit.verifyOtp(request);
    ({ verificationToken } = answer);
    return answer;
  },
};
const email = `ada.${Date.now()}@example.com`;
const sent = await sendCode(backend, { otpType: "OTP_TYPE_EMAIL", contact: email });

// Ada reads the code in her mail. On your machine, the mailbox has it.
const [{ code }] = await messagesTo(email);
const { userId } = await logInWithCode(keeper, backend, { code, sent });
const session = keeper.connection();
console.log(`Signed up, and logged in to ${(await whoami(session)).organizationId}`);

// Her token proves the address to the signer too.
await updateUserEmail(session, { userId, userEmail: email, verificationToken });
const filter = { filterType: "EMAIL", filterValue: email } as const;
const { organizationIds } = await parent.listVerifiedSuborgs(filter);
console.log(`Verified: ${organizationIds}`);
keeper.close();
