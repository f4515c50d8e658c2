import { whoami } from "@keyhearth/sdk";
import { createPasskey, prepareSignUp, SessionKeeper } from "@keyhearth/sdk/browser";
import { config, log, onClick, post, typed } from "../page.ts";

const keeper = new SessionKeeper(await config());

onClick("sign-up", async () => {
  const name = typed("name");

  // 1. The browser asks for a fingerprint, a face or a PIN, and makes the passkey.
  const authenticator = await createPasskey({
    rp: { id: location.hostname, name: "Example" },
    user: { name },
  });
  log(`Made a passkey: ${authenticator.attestation.transports.join(", ")}`);

  // 2. A key of the browser for the first login, so that there's no second prompt.
  const { apiKey, finish } = await prepareSignUp();

  // 3. Your server creates the sub-organization with both.
  const request = { name, authenticator, apiKey };
  type Wallet = { organizationId: string; address: string };
  const { organizationId, address } = await post<Wallet>("/sign-up", request);
  log(`Created sub-organization ${organizationId}`);
  log(`with the Ethereum account ${address}`);

  // 4. Logged in. From here on, only this user can sign.
  await finish(keeper, { organizationId });
  const { username } = await whoami(keeper.connection());
  log(`Logged in as ${username}`);
});
