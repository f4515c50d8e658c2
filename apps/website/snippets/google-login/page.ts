import {
  beginOidcLogin,
  logInWithOidc,
  type OidcBackend,
  type SessionKeeper,
} from "@keyhearth/sdk/browser";

export type Provider = {
  /** Google’s is `https://accounts.google.com/o/oauth2/v2/auth`. */
  authorizationEndpoint: string;
  /** Your client id, from the provider’s console. */
  clientId: string;
  /** Where the provider sends people back, as you registered it there. */
  redirectUri: string;
};

/** The button: the address to which the page sends the person. */
export async function addressOfLogin(keeper: SessionKeeper, provider: Provider): Promise<string> {
  // The key of the session is made and kept here. The nonce is the digest of its public half.
  const { nonce } = await beginOidcLogin(keeper);
  const address = new URL(provider.authorizationEndpoint);
  address.search = new URLSearchParams({
    client_id: provider.clientId,
    redirect_uri: provider.redirectUri,
    response_type: "id_token",
    scope: "openid email",
    nonce,
  }).toString();
  return address.href;
}

/** The page to which people come back. Call `history.replaceState` before: the token is in the address. */
export async function finishLogin(keeper: SessionKeeper, backend: OidcBackend, address: string) {
  const answer = new URLSearchParams(new URL(address).hash.slice(1));
  const oidcToken = answer.get("id_token");
  if (!oidcToken) throw new Error(answer.get("error") ?? "the provider sent no token");
  return logInWithOidc(keeper, { oidcToken, backend, expirationSeconds: 3600 });
}
