import { listWalletAccounts, SessionEnded, signRawPayload, whoami } from "@keyhearth/sdk";
import { logInWithPasskey, SessionKeeper } from "@keyhearth/sdk/browser";
import { config, log, onClick } from "../page.ts";

const keeper = new SessionKeeper(await config());

// A session survives reloads. Its key is in the browser's storage, and no script can read it.
await keeper.restore();
log(keeper.session ? "Still logged in" : "Nobody is logged in");

/** One prompt. Then a key of this browser stamps, for a quarter of an hour. */
async function logIn() {
  await logInWithPasskey(keeper, { rpId: location.hostname, expirationSeconds: 900 });
  // The proof: this request is stamped by the session, and not by the passkey.
  const { username } = await whoami(keeper.connection());
  log(`Logged in as ${username}`);
}
onClick("log-in", logIn);

/** No prompt. If the session has ended meanwhile, the passkey starts the next one. */
async function sign() {
  try {
    await signHello();
  } catch (error) {
    if (!(error instanceof SessionEnded)) throw error;
    log("The session has ended");
    await logIn();
    await signHello();
  }
}
onClick("sign", sign);

onClick("log-out", async () => {
  await keeper.logOut();
  log("Logged out");
});

async function signHello() {
  const { accounts } = await listWalletAccounts(keeper.connection());
  const account = accounts.find((each) => each.addressFormat === "ADDRESS_FORMAT_ETHEREUM");
  const { r, s, v } = await signRawPayload(keeper.connection(), {
    signWith: account?.address ?? "",
    payload: "Hello from Keyhearth",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  });
  log(`Signed: 0x${r}${s}${v}`);
}
