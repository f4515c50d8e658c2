import { Cancelled, KeyhearthError } from "@keyhearth/sdk";
import { beginOidcLogin, type SessionKeeper } from "@keyhearth/sdk/browser";
import { basePath } from "../service-address.ts";

type Provider = { authorizationEndpoint: string; clientId: string };

/** The page that a provider sends people back to: it has no script, so it can do nothing with the token in its address. */
const returnAddress = `${location.origin}${basePath}/returned.html`;

/** Opens the window at once, while the browser knows that somebody clicked. */
export function openWindow(): Window {
  const opened = open("about:blank", "keyhearth-login", "popup,width=480,height=680");
  if (opened) return opened;
  throw new KeyhearthError(
    "The browser blocked the window of the login. Allow windows for this page, and try again",
    { code: "POPUP_BLOCKED" },
  );
}

/**
 * Asks the provider in a window, and returns its ID token. The nonce binds the token to a key of this browser, so it starts
 * no session anywhere else. What comes back without the state of this login is not for it.
 */
export async function askProvider(
  opened: Window,
  keeper: SessionKeeper,
  { authorizationEndpoint, clientId }: Provider,
): Promise<string> {
  try {
    const { nonce } = await beginOidcLogin(keeper);
    const state = crypto.randomUUID();
    const address = new URL(authorizationEndpoint);
    const asked = {
      client_id: clientId,
      redirect_uri: returnAddress,
      response_type: "id_token",
      response_mode: "fragment",
      scope: "openid",
      nonce,
      state,
    };
    for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
    opened.location.replace(address.href);
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (opened.closed) {
        throw new Cancelled("The window of the login was closed before the provider answered", {
          code: "CANCELLED",
        });
      }
      const answer = answerIn(opened);
      if (answer?.get("state") === state) return tokenOf(answer);
    }
  } finally {
    opened.close();
  }
}

function answerIn(opened: Window): URLSearchParams | undefined {
  try {
    const { origin, pathname, hash, search } = opened.location;
    if (origin + pathname !== returnAddress) return undefined;
    return new URLSearchParams(hash.length > 1 ? hash.slice(1) : search);
  } catch {
    // It is at another origin.
    return undefined;
  }
}

function tokenOf(answer: URLSearchParams): string {
  const token = answer.get("id_token");
  if (token) return token;
  const code = answer.get("error") ?? "";
  if (code === "access_denied") {
    throw new Cancelled("The login at the provider was cancelled", { code: "CANCELLED" });
  }
  const reason = /^[a-z_]{1,40}$/.test(code) ? code : "no token";
  throw new KeyhearthError(
    `The provider answered ${reason}. Ask whoever registered this page there to look at its settings`,
    { code: "PROVIDER_REFUSED" },
  );
}
