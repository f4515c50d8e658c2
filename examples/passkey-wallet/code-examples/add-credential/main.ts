import { createAuthenticators, getAuthenticators } from "@keyhearth/sdk";
import { createPasskey, logInWithPasskey, SessionKeeper } from "@keyhearth/sdk/browser";
import { config, log, onClick, typed } from "../page.ts";

const keeper = new SessionKeeper(await config());
const rpId = location.hostname;

// The first prompt: with the passkey that the user has.
onClick("log-in", async () => {
  const { userId } = await logInWithPasskey(keeper, { rpId });
  log(`Logged in as user ${userId}`);
});

// The second prompt: for the new passkey. The session stamps everything else.
onClick("add", async () => {
  const connection = keeper.connection();
  const userId = keeper.session?.userId ?? "";
  const before = await getAuthenticators(connection, { userId });
  const name = typed("name");
  const authenticator = await createPasskey({
    rp: { id: rpId, name: "Example" },
    user: { name },
    authenticatorName: name,
    // A device that has one of the user's passkeys makes no second one.
    excludeCredentials: before.authenticators.map(({ credentialId }) => credentialId),
  });
  await createAuthenticators(connection, { userId, authenticators: [authenticator] });

  const { authenticators } = await getAuthenticators(connection, { userId });
  log(`Passkeys: ${authenticators.map((each) => each.authenticatorName).join(", ")}`);
});
