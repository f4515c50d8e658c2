import { pageOf } from "../connection/answers.ts";
import { asObject } from "../errors/as-object.ts";
import { Unverified } from "../errors/errors.ts";
import { newP256Key, type P256Key, sha256Hex } from "../stampers/p256-key.ts";
import { attestedStamper } from "./attested-stamp.ts";
import { objectFromBase64Url } from "./base64.ts";
import {
  checkBackend,
  checkKeeper,
  loginAnswer,
  loginOf,
  type Session,
  type SessionRequest,
} from "./session.ts";
import type { SessionKeeper } from "./session-keeper.ts";
import { logInWithStamp } from "./stamped-login.ts";

/** What a login by an OpenID provider can ask your server to send. */
export type OidcBackend = {
  /**
   * Sends `oauth_login` to the user's sub-organization, stamped with an API key of your organization. If it
   * returns the id of that sub-organization, no session of another one is accepted.
   */
  oauthLogin(request: {
    oidcToken: string;
    publicKey: string;
    expirationSeconds?: string;
    invalidateExisting?: boolean;
  }): Promise<{ session: string; organizationId?: string }>;
};

/**
 * Begins a login at an OpenID provider. Pass `nonce` to the provider's authorization request. The key is
 * kept, so people may come back by a redirect, in this tab or another.
 */
export async function beginOidcLogin(keeper: SessionKeeper): Promise<{ nonce: string }> {
  checkKeeper(keeper);
  const key = await newP256Key(keeper.storage);
  const nonce = await sha256Hex(key.publicKey);
  await keeper.storage.update(pendingEntry(nonce), () => ({ ...key }));
  return { nonce };
}

/**
 * Logs in with the ID token that the provider issued for this nonce. Without a backend, the page logs in
 * itself, with the token as its credential: `organizationId`, or the organization that the keeper names, must then
 * be the sub-organization or its parent. Throws `Unverified` if the login did not begin in this browser.
 */
export async function logInWithOidc(
  keeper: SessionKeeper,
  login: {
    oidcToken: string;
    backend?: OidcBackend;
    organizationId?: string;
  } & SessionRequest,
): Promise<Session> {
  checkKeeper(keeper);
  const { oidcToken, backend, organizationId, ...request } = asObject(login);
  const at = organizationId === undefined ? {} : { organizationId };
  if (backend !== undefined) checkBackend(backend, "oauthLogin");
  const nonce = nonceOf(oidcToken);
  const entry = pendingEntry(nonce ?? "");
  const key = nonce === undefined ? undefined : await keeper.storage.read(entry);
  if (!key) {
    throw new Unverified(
      "This ID token was not issued for a login that began in this browser. Call beginOidcLogin, and pass its nonce to the provider",
      { code: "UNVERIFIED", docsUrl: pageOf(keeper.options.baseUrl, "UNVERIFIED") },
    );
  }
  const started = backend
    ? await logInByBackend(keeper, backend, { key, oidcToken }, request)
    : await logInWithStamp(
        keeper,
        attestedStamper(key, oidcToken, "OIDC"),
        { key, ...at },
        request,
      );
  await keeper.storage.update(entry, () => undefined);
  return started;
}

async function logInByBackend(
  keeper: SessionKeeper,
  backend: OidcBackend,
  { key, oidcToken }: { key: P256Key; oidcToken: string },
  request: SessionRequest,
): Promise<Session> {
  const { publicKey } = key;
  const { parameters } = loginOf(request);
  const answer = await backend.oauthLogin({ oidcToken, publicKey, ...parameters });
  const { session, ...holder } = loginAnswer(answer);
  return keeper.start(key, session, { ...holder, proof: oidcToken }, request);
}

/** The nonce in the token. The signer checks that the provider signed it. */
function nonceOf(oidcToken: string): string | undefined {
  const claims = objectFromBase64Url(String(oidcToken).split(".")[1] ?? "");
  const nonce = claims?.nonce ?? claims?.tknonce;
  return typeof nonce === "string" ? nonce : undefined;
}

/** Under which name the key of a login is kept until people come back. */
export function pendingEntry(nonce: string): string {
  return `login:${nonce}`;
}
