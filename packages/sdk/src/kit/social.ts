import { beginOidcLogin } from "../browser/oidc-login.ts";
import type { SessionKeeper } from "../browser/session-keeper.ts";
import { Cancelled, KeyhearthError } from "../errors/errors.ts";

/** A provider of social logins that speaks OpenID Connect. */
export type OpenIdProvider = {
  /** As in `oauthClientIds` of the login proxy or the handler. */
  name: string;
  /** As people know it. */
  label: string;
  authorizationEndpoint: string;
  /** Default: that of `oauthClientIds`. */
  clientId?: string;
  /** A page of this origin, registered with the provider. Default: `oauthRedirectUrl` of the settings, or this page. */
  redirectUri?: string;
  /** Default: `openid`. */
  scope?: string;
};

/** Google, with the client id of `oauthClientIds.google`. */
export const google: OpenIdProvider = {
  name: "google",
  label: "Google",
  authorizationEndpoint: "https://accounts.google.com/o/oauth2/v2/auth",
};

/** Begins the `state` of an answer that a redirect brought, with the provider's name after it. */
const REDIRECTED = "keyhearth:redirect:";
const POPUP = "keyhearth:popup:";

type Asked = { clientId: string; redirectUri: string };

/**
 * The provider's address for one login. The nonce binds the token to a key of this browser, so a token that somebody else
 * brings here starts no session.
 */
async function addressOf(
  keeper: SessionKeeper,
  { name, authorizationEndpoint, scope = "openid" }: OpenIdProvider,
  { clientId, redirectUri }: Asked,
  state: string,
): Promise<string> {
  const { nonce } = await beginOidcLogin(keeper);
  const address = new URL(authorizationEndpoint);
  const asked = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: "id_token",
    response_mode: "fragment",
    scope,
    nonce,
    state: `${state}${name}`,
  };
  for (const [key, value] of Object.entries(asked)) address.searchParams.set(key, value);
  return address.href;
}

/** Leaves the page for the provider. */
export async function goToProvider(keeper: SessionKeeper, provider: OpenIdProvider, asked: Asked) {
  location.assign(await addressOf(keeper, provider, asked, REDIRECTED));
}

/** Opens the window at once, while the browser knows that somebody clicked. */
export function openPopup(): Window {
  const popup = window.open("about:blank", "keyhearth-login", "popup,width=480,height=680");
  if (popup) return popup;
  throw new KeyhearthError(
    "The browser blocked the window of the login. Use redirects, or call this when somebody clicks",
    { code: "POPUP_BLOCKED" },
  );
}

/** Asks the provider in a window, and resolves with its ID token. */
export async function askInPopup(
  popup: Window,
  keeper: SessionKeeper,
  provider: OpenIdProvider,
  asked: Asked,
  signal: AbortSignal,
): Promise<string> {
  try {
    popup.location.replace(await addressOf(keeper, provider, asked, POPUP));
    const target = new URL(asked.redirectUri);
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (signal.aborted || popup.closed) {
        throw new Cancelled("The window of the login was closed before the provider answered", {
          code: "CANCELLED",
        });
      }
      const answer = answerIn(popup, target);
      if (answer) return tokenOf(answer);
    }
  } finally {
    popup.close();
  }
}

/** What the provider brought, once the window is back at the page that it was to come back to. */
function answerIn(popup: Window, target: URL): URLSearchParams | undefined {
  try {
    const { origin, pathname, hash, search } = popup.location;
    if (origin !== target.origin || pathname !== target.pathname) return undefined;
    return new URLSearchParams(hash.length > 1 ? hash.slice(1) : search);
  } catch {
    // It is at another origin.
    return undefined;
  }
}

/** The answer to a login that left this page, if there is one. The address no longer has it afterwards. */
export function takeRedirect(): { providerName: string; answer: URLSearchParams } | undefined {
  const answer = new URLSearchParams(location.hash.slice(1));
  const state = answer.get("state") ?? "";
  if (!state.startsWith(REDIRECTED)) return undefined;
  history.replaceState(history.state, "", location.pathname + location.search);
  return { providerName: state.slice(REDIRECTED.length), answer };
}

export function tokenOf(answer: URLSearchParams): string {
  const token = answer.get("id_token");
  if (token) return token;
  const code = answer.get("error") ?? "";
  if (code === "access_denied") {
    throw new Cancelled("The login at the provider was cancelled", { code: "CANCELLED" });
  }
  const reason = /^[a-z_]{1,40}$/.test(code) ? code : "no token";
  throw new KeyhearthError(`The provider answered ${reason}. Look at the client's settings there`, {
    code: "PROVIDER_REFUSED",
  });
}
