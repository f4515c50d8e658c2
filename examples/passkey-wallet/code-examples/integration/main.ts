import { createPasskey, prepareSignUp } from "@keyhearth/sdk/browser";
import { WebAuthnStamper } from "@keyhearth/sdk/stampers/webauthn";
import { config, log, onClick, post } from "../page.ts";

const { baseUrl, organizationId } = await config();
const rpId = location.hostname;

// Registration: once for each person and device.
onClick("register", async () => {
  const authenticator = await createPasskey({
    rp: { id: rpId, name: "Example" },
    user: { name: "Ada" },
  });
  const { apiKey } = await prepareSignUp();
  await post("/sign-up", { name: "Ada", authenticator, apiKey });
  log("Registered a passkey");
});

// Authentication: the passkey signs the body of one request.
onClick("stamp", async () => {
  const body = JSON.stringify({ organizationId });
  const stamp = await new WebAuthnStamper({ rpId }).stamp(body);
  log(`Stamped, for the header ${stamp.name}`);

  // A URL, a body and a header. It doesn't matter who sends them.
  for (const address of [baseUrl, "/keyhearth"]) {
    const answer = await fetch(`${address}/public/v1/query/whoami`, {
      method: "POST",
      headers: { "content-type": "application/json", [stamp.name]: stamp.value },
      body,
    });
    const { username } = await answer.json();
    log(`${address === baseUrl ? "Directly" : "Through your server"}: ${username}`);
  }
});
