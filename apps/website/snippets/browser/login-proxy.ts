import {
  beginOidcLogin,
  createPasskey,
  LoginProxy,
  type SessionKeeper,
} from "@keyhearth/sdk/browser";
import { type EthereumProvider, WalletStamper } from "@keyhearth/sdk/stampers/wallet";

/** One prompt makes the passkey. Later logins are `logInWithPasskey`, which needs no proxy. */
export async function signUpWithPasskey(keeper: SessionKeeper, userName: string) {
  const rp = { id: location.hostname, name: "Example" };
  const passkey = await createPasskey({ rp, user: { name: userName } });
  return new LoginProxy(keeper).signUpWithPasskey({ passkey, userName });
}

/** Before people go to the provider. They come back with an ID token for this nonce. */
export async function providerUrl(keeper: SessionKeeper, authorizationEndpoint: string) {
  const { oauthClientIds, oauthRedirectUrl = location.href } = await new LoginProxy(
    keeper,
  ).settings();
  const { nonce } = await beginOidcLogin(keeper);
  const asked = {
    ...{ client_id: oauthClientIds.google ?? "", redirect_uri: oauthRedirectUrl, nonce },
    ...{ response_type: "id_token", scope: "openid" },
  };
  return `${authorizationEndpoint}?${new URLSearchParams(asked)}`;
}

/** Logs in, or signs up, with the token that they came back with. */
export function comeBack(keeper: SessionKeeper, oidcToken: string) {
  return new LoginProxy(keeper).logInWithOidc({ oidcToken, providerName: "Google" });
}

/** One prompt of the wallet, whether the account is new or not. */
export function logInWithWallet(keeper: SessionKeeper, ethereum: EthereumProvider) {
  return new LoginProxy(keeper).logInWithWallet(new WalletStamper({ ethereum }));
}
