import { Cancelled, KeyhearthError, SessionEnded, Unavailable } from "@keyhearth/sdk";
import {
  createPasskey,
  logInWithPasskey,
  prepareSignUp,
  SessionKeeper,
} from "@keyhearth/sdk/browser";

// Who is logged in, and how people sign up and log in.

/** The passkeys of this wallet belong to the page's domain. */
const rpId = location.hostname;

/** What lasts longer than a quarter of an hour should ask for the passkey again. */
const SESSION = { expirationSeconds: 900 };

/** Asks the server part where Keyhearth is, and looks for the session from before a reload. */
export async function openKeeper(): Promise<SessionKeeper> {
  const keeper = new SessionKeeper({ ...(await fetchJson("/config")), autoRefresh: true });
  await keeper.restore();
  return keeper;
}

/** Makes a passkey, a sub-organization with a wallet, and the first session: one prompt. */
export async function signUp(keeper: SessionKeeper, name: string): Promise<void> {
  const authenticator = await createPasskey({
    rp: { id: rpId, name: "Passkey wallet" },
    user: { name },
    // People log in without typing a name, so the device has to remember the passkey.
    authenticatorSelection: { residentKey: "required", userVerification: "preferred" },
  });
  const { apiKey, finish } = await prepareSignUp();
  const { organizationId } = await fetchJson("/sign-up", { name, authenticator, apiKey });
  await finish(keeper, { organizationId, ...SESSION });
}

/** Logs in with a passkey that people choose: one prompt. */
export async function logIn(keeper: SessionKeeper): Promise<void> {
  await logInWithPasskey(keeper, { rpId, ...SESSION });
}

/** What to tell people about an error. */
export type Notice = { tone: "calm" | "error"; text: string };

export function noticeOf(error: unknown): Notice {
  if (error instanceof Cancelled) {
    return {
      tone: "calm",
      text: "The passkey prompt was closed, so nothing happened. Try again when you’re ready.",
    };
  }
  if (error instanceof SessionEnded) {
    return { tone: "calm", text: "Your session has ended. Log in with your passkey to go on." };
  }
  if (error instanceof Unavailable || error instanceof TypeError) {
    return {
      tone: "error",
      text: "The service can’t be reached. Check your connection and try again.",
    };
  }
  if (error instanceof KeyhearthError) {
    return { tone: "error", text: error.serviceMessage ?? error.message };
  }
  return { tone: "error", text: error instanceof Error ? error.message : String(error) };
}

// The form of its answers is that of `server.ts` and `sign-up.ts`.
async function fetchJson(path: string, body?: object) {
  const answer = await fetch(
    path,
    body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    },
  );
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(content.error ?? `The server answered ${answer.status}.`);
  return content;
}
