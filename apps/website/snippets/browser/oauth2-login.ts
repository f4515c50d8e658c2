import { LoginProxy, type SessionKeeper } from "@keyhearth/sdk/browser";

/** Before people go to Discord. */
export async function discordUrl(keeper: SessionKeeper) {
  const proxy = new LoginProxy(keeper);
  const { oauthClientIds, oauthRedirectUrl = location.href } = await proxy.settings();
  const { url } = await proxy.beginOauth2Login({
    provider: "OAUTH2_PROVIDER_DISCORD",
    clientId: oauthClientIds.discord ?? "",
    redirectUri: oauthRedirectUrl,
  });
  return url;
}

/** On the page that they come back to. Logs in, or signs up. */
export function comeBack(keeper: SessionKeeper) {
  return new LoginProxy(keeper).logInWithOauth2({ callbackUrl: location.href });
}
