import type { Stamper } from "../connection/request.ts";
import { asObject } from "../errors/as-object.ts";
import type { ApiKeyParamsV2 } from "../generated/types.ts";
import { newP256Key, stampWithP256 } from "../stampers/p256-key.ts";
import { WebAuthnStamper, type WebAuthnStamperOptions } from "../stampers/webauthn.ts";
import { checkKeeper, type Session, type SessionRequest } from "./session.ts";
import type { SessionKeeper } from "./session-keeper.ts";
import { logInWithStamp } from "./stamped-login.ts";

/** Where a login goes, if not to the organization of the keeper. */
type At = { organizationId?: string };

/**
 * Logs in with a passkey: one prompt. Throws `Cancelled` if people dismiss it. The passkey's organization
 * may be a sub-organization of the one that is named.
 */
export async function logInWithPasskey(
  keeper: SessionKeeper,
  options: WebAuthnStamperOptions & SessionRequest & At = {},
): Promise<Session> {
  checkKeeper(keeper);
  return logInWith(keeper, new WebAuthnStamper(options), options);
}

/** Logs in with any stamper whose credential the service knows, such as that of a wallet. */
export async function logInWith(
  keeper: SessionKeeper,
  stamper: Stamper,
  request: SessionRequest & At = {},
): Promise<Session> {
  checkKeeper(keeper);
  const { organizationId, ...rest } = asObject(request);
  const at = organizationId === undefined ? {} : { organizationId };
  return logInWithStamp(keeper, stamper, { key: await newP256Key(keeper.storage), ...at }, rest);
}

/**
 * Prepares a session for somebody who signs up, so that they need not log in afterwards. Your server
 * registers `apiKey`, which expires within minutes, for the new user, beside the passkey. Then `finish`
 * logs in with it. Without WebCrypto, such as in React Native, pass the keeper, whose storage then makes the key.
 */
export async function prepareSignUp(keeper?: SessionKeeper): Promise<SignUp> {
  if (keeper !== undefined) checkKeeper(keeper);
  const key = await newP256Key(keeper?.storage);
  const { publicKey } = key;
  return {
    apiKey: {
      apiKeyName: "Sign-up",
      publicKey,
      curveType: "API_KEY_CURVE_P256",
      expirationSeconds: "300",
    },
    async finish(keeper, { organizationId, ...request }) {
      const stamper = { stamp: (body: string) => stampWithP256(key, body) };
      // A key logs in another one, never itself.
      const login = {
        key: await newP256Key(keeper.storage),
        organizationId,
        holder: { organizationId },
      };
      return logInWithStamp(keeper, stamper, login, request);
    },
  };
}

export type SignUp = {
  /** For `apiKeys` of the new user. */
  apiKey: ApiKeyParamsV2;
  /** Logs in. `organizationId` is the new sub-organization. */
  finish(
    keeper: SessionKeeper,
    request: SessionRequest & { organizationId: string },
  ): Promise<Session>;
};
