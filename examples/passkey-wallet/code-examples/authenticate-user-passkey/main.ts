import { Connection, createReadOnlySession, createWallet, listWallets } from "@keyhearth/sdk";
import { WebAuthnStamper } from "@keyhearth/sdk/stampers/webauthn";
import { config, log, onClick } from "../page.ts";

const { baseUrl, organizationId: parentId } = await config();
const passkey = new WebAuthnStamper({ rpId: location.hostname });

/** Who is logged in: the user's own organization, and a token that may read in it for an hour. */
type Login = { organizationId: string; session: string };
let login: Login | undefined;

// One prompt. The request names your organization, and the service finds the user's.
onClick("log-in", async () => {
  const connection = new Connection({ baseUrl, organizationId: parentId, stamper: passkey });
  const answer = await createReadOnlySession(connection, {});
  login = answer;
  log(`Logged in as ${answer.username}`);
  log(`of sub-organization ${answer.organizationId}`);
});

// No prompt: the token is sent in place of a stamp.
onClick("read", async () => {
  const { organizationId, session } = loggedIn();
  const stamper = { stamp: async () => ({ name: "X-Session", value: session }) };
  const { wallets } = await listWallets(new Connection({ baseUrl, organizationId, stamper }));
  log(`Wallets: ${wallets.map(({ walletName }) => walletName).join(", ")}`);
});

// One prompt for each: the passkey signs the request itself.
onClick("write", async () => {
  const { organizationId } = loggedIn();
  const connection = new Connection({ baseUrl, organizationId, stamper: passkey });
  const { walletId } = await createWallet(connection, { walletName: "Savings", accounts: [] });
  log(`Created wallet ${walletId}`);
});

function loggedIn(): Login {
  if (!login) throw new Error("Log in first");
  return login;
}
