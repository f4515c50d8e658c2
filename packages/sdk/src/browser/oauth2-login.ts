import { decodeHex, encodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import { pageOf } from "../connection/answers.ts";
import { asObject } from "../errors/as-object.ts";
import { Unverified } from "../errors/errors.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { Oauth2Provider } from "../generated/types.ts";
import { newP256Key, sha256Hex } from "../stampers/p256-key.ts";
import { randomBytes } from "../stampers/randomness.ts";
import { objectFromBase64Url } from "./base64.ts";
import { pendingEntry } from "./oidc-login.ts";
import type { SessionKeeper } from "./session-keeper.ts";

// Logins at providers that only speak OAuth 2.0. The page asks for a code, and the service exchanges it.

export type Oauth2Login = {
  provider: Oauth2Provider;
  /** Your application at the provider. It must be in the organization’s `oauthClientIds` and have a credential. */
  clientId: string;
  /** Where the provider sends people back to, as you registered it there. */
  redirectUri: string;
  /** What the provider asks people for. Default: as little as says who they are. */
  scope?: string;
  /** Where people go instead of the provider: for tests with a double of it. */
  authorizationUrl?: string;
};

/** What the service exchanges. */
export type ReturnedCode = {
  provider: Oauth2Provider;
  clientId: string;
  redirectUri: string;
  authCode: string;
  codeVerifier: string;
  nonce: string;
};

const places: Record<Oauth2Provider, { url: string; scope: string }> = {
  OAUTH2_PROVIDER_X: {
    url: "https://x.com/i/oauth2/authorize",
    scope: "users.read tweet.read",
  },
  OAUTH2_PROVIDER_DISCORD: { url: "https://discord.com/oauth2/authorize", scope: "identify" },
};

/**
 * Makes the key of the login, and the address to which the page sends people. The verifier ends with the nonce, which is
 * a digest of the key: so whoever carries the code can use it for no other key.
 */
export async function oauth2Url(keeper: SessionKeeper, login: Oauth2Login): Promise<string> {
  const { provider, clientId, redirectUri, ...more } = asObject(login);
  const place = Object.hasOwn(places, provider) ? places[provider] : undefined;
  if (!place) {
    throw invalidFields({
      field: "provider",
      message: `must be one of ${Object.keys(places).join(", ")}`,
    });
  }
  const { scope = place.scope, authorizationUrl = place.url } = more;
  const key = await newP256Key(keeper.storage);
  const nonce = await sha256Hex(key.publicKey);
  const codeVerifier = `${randomText()}~${nonce}`;
  const state = `${randomText()}~${nonce}`;
  const pending = { provider, clientId, redirectUri, codeVerifier, state };
  await keeper.storage.update(pendingEntry(nonce), () => ({ ...key, ...pending }));
  const asked = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: encodeBase64Url(decodeHex(await sha256Hex(codeVerifier))),
    code_challenge_method: "S256",
  };
  return `${authorizationUrl}?${new URLSearchParams(asked)}`;
}

/** Reads the address that people came back to. Throws `Unverified` if their login did not begin in this browser. */
export async function readCallback(
  keeper: SessionKeeper,
  callbackUrl: string,
): Promise<ReturnedCode> {
  const found = URL.canParse(callbackUrl) ? new URL(callbackUrl).searchParams : undefined;
  const state = found?.get("state") ?? "";
  const authCode = found?.get("code") ?? "";
  const nonce = state.slice(-64);
  const entry = pendingEntry(nonce);
  const known = state.length > 64 ? await keeper.storage.read(entry) : undefined;
  const docsUrl = pageOf(keeper.options.baseUrl, "UNVERIFIED");
  if (known?.state !== state) {
    throw new Unverified(
      "This address has no state of a login that began in this browser. Call beginOauth2Login, and send people to the address that it returns",
      { code: "UNVERIFIED", docsUrl },
    );
  }
  if (authCode === "") {
    await keeper.storage.update(entry, () => undefined);
    throw new Unverified(
      "The provider sent people back without a code: they have not agreed, or the provider refused the request",
      { code: "UNVERIFIED", docsUrl },
    );
  }
  const { provider, clientId, redirectUri, codeVerifier } = known as unknown as ReturnedCode;
  return { provider, clientId, redirectUri, authCode, codeVerifier, nonce };
}

/**
 * Returns the token that answers this code: it names the code, the key, the application and the provider. Anyone who has a
 * code of their own gets a token that names this key. The signer verifies what a token says once it logs in, and the session
 * then names the token.
 */
export async function readAnswer(
  keeper: SessionKeeper,
  oidcToken: unknown,
  asked: ReturnedCode & { organizationId: string },
): Promise<string> {
  const provider = asked.provider.replace("OAUTH2_PROVIDER_", "").toLowerCase();
  const expected = {
    iss: `urn:keyhearth:oauth2:${provider}:${asked.organizationId.toLowerCase()}`,
    aud: asked.clientId,
    nonce: asked.nonce,
    auth_code_digest: await sha256Hex(asked.authCode),
  };
  const claims = objectFromBase64Url(String(oidcToken).split(".")[1] ?? "");
  const isAnswer = Object.entries(expected).every(([name, value]) => claims?.[name] === value);
  if (isAnswer) return String(oidcToken);
  throw new Unverified(
    "The token of this login does not answer its code, so nobody was logged in. The service may be older than the SDK",
    { code: "UNVERIFIED", docsUrl: pageOf(keeper.options.baseUrl, "UNVERIFIED") },
  );
}

/** 256 bits. */
function randomText(): string {
  return encodeBase64Url(randomBytes(32));
}
