import { signRawPayload } from "@keyhearth/sdk";
import {
  createPasskey,
  logInWithPasskey,
  prepareSignUp,
  SessionKeeper,
  type SessionKeeperOptions,
} from "@keyhearth/sdk/browser";

/** When the page starts: finds the session from before a reload, if there is one. */
export async function startPage(settings: SessionKeeperOptions): Promise<SessionKeeper> {
  const keeper = new SessionKeeper(settings);
  keeper.subscribe((event) => {
    if (event.type === "ended") document.title = `Logged out: ${event.reason}`;
  });
  await keeper.restore();
  return keeper;
}

/** One prompt makes the passkey, and the first login needs no second one. */
export async function signUp(keeper: SessionKeeper, name: string) {
  const rp = { id: location.hostname, name: "Example" };
  const authenticator = await createPasskey({ rp, user: { name } });
  const { apiKey, finish } = await prepareSignUp();
  // Your server sends create_sub_organization. These are the credentials of the root user.
  const body = JSON.stringify({ name, authenticators: [authenticator], apiKeys: [apiKey] });
  const answer = await fetch("/sign-up", { method: "POST", body });
  const { organizationId } = await answer.json();
  return finish(keeper, { organizationId });
}

/** Later, on any device that has the passkey. */
export function logIn(keeper: SessionKeeper) {
  return logInWithPasskey(keeper, { rpId: location.hostname, expirationSeconds: 3600 });
}

/** No prompt: the key of the session stamps. */
export function signHello(keeper: SessionKeeper, signWith: string) {
  return signRawPayload(keeper.connection(), {
    signWith,
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_SHA256",
  });
}
