import { decodeHex, encodeHex, encodeUtf8, wipe } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { sha256 } from "@keyhearth/crypto/primitives";
import { createSessionJwt } from "@keyhearth/crypto/tokens/session-token";
import { invalid, unauthenticated } from "../errors.ts";
import type { User } from "../records/organization.ts";
import { expiresAtMs, type SessionEntry } from "../records/sessions.ts";
import { randomPrivateKey } from "../vault/secrets.ts";
import { isAttestedScheme } from "./attested-stamps.ts";
import { PASSKEY_SCHEME } from "./authenticate.ts";
import type { StartedBy } from "./proven-facts.ts";
import {
  DEFAULT_SESSION_SECONDS,
  type NewSession,
  nameOfSession,
  startSession,
} from "./sessions.ts";
import type { PersonTools } from "./tools.ts";

// The two ways to start a session, whatever proves who logs in: the client makes the key, or the core does.

/**
 * The same signature fits in `X-Stamp` and in `X-Stamp-Attested`, and the host chooses the header. So the stamped
 * bytes say which one it is, and no bytes count in both: a token lets only its own key log in, and without a token
 * a key logs in another one.
 */
export function checkLoginKey(
  { publicKey, scheme }: Pick<StartedBy, "publicKey" | "scheme">,
  loginKey: string,
) {
  const isOwnKey = loginKey === publicKey;
  if (isAttestedScheme(scheme)) {
    if (isOwnKey) return;
    throw unauthenticated(
      "STAMP_INVALID",
      "could not verify attested stamp: `parameters.publicKey` must be the key that the token attests and that stamps the request",
    );
  }
  if (!isOwnKey) return;
  throw invalid(
    "parameters.publicKey",
    "`parameters.publicKey` is the key that stamps this request: make a new key pair for each session, also to prolong one",
  );
}

/** A request with the session's defaults filled in, as policies see it. */
export function withSessionDefaults<T extends object>(intent: T) {
  return { expirationSeconds: DEFAULT_SESSION_SECONDS, invalidateExisting: false, ...intent };
}

/**
 * What a stamp proves a login with, as clients write it too. The public key belongs to it, because other keys fit
 * every signature by ECDSA. A passkey's client does not know that key: its text is the whole stamp.
 */
export function proofOfStamp({ publicKey, scheme, signature }: StartedBy): string {
  return scheme === PASSKEY_SCHEME ? signature : `${publicKey} ${scheme} ${signature}`;
}

type Login = Pick<NewSession, "publicKey" | "expirationSeconds" | "invalidateExisting"> & {
  /** What proved who logs in: the stamp, or the token in the request. */
  proof: string;
  attestationDigest?: StartedBy["attestationDigest"];
};

/**
 * Starts a session with a key that the client made. Returns a signed statement about the session. Anyone can log in
 * with the public key of somebody else, and the host chooses which answer a client gets. So the statement names the
 * proof, which is the client's own. Nothing stamps the token of an attested stamp, so it has a claim of its own.
 */
export function logIn(
  context: PersonTools,
  user: User,
  { publicKey, expirationSeconds, invalidateExisting, proof, attestationDigest }: Login,
): string {
  const entry = startSession(context, user, {
    apiKeyId: context.newId("session"),
    apiKeyName: nameOfSession("Login", context.nowMs),
    publicKey,
    type: "CREDENTIAL_TYPE_LOGIN",
    expirationSeconds,
    invalidateExisting,
  });
  return createSessionJwt(
    {
      exp: Math.floor(expiresAtMs(entry) / 1000),
      public_key: publicKey,
      session_type: "SESSION_TYPE_READ_WRITE",
      user_id: user.userId,
      organization_id: context.organizationId,
      proof_digest: encodeHex(sha256(encodeUtf8(proof))),
      attestation_digest: attestationDigest,
    },
    context.tokens.signSession,
  );
}

/** Starts a session with a key that the core makes, and encrypts the key to that of the client. */
export function issueSessionKey(
  context: PersonTools,
  user: User,
  targetPublicKey: string,
  session: Omit<NewSession, "apiKeyId" | "publicKey">,
): { entry: SessionEntry; credentialBundle: string } {
  const privateKey = randomPrivateKey("CURVE_P256", context);
  try {
    const entry = startSession(context, user, {
      ...session,
      apiKeyId: context.newKeyId("session"),
      publicKey: encodeHex(publicKeyOf("CURVE_P256", privateKey)),
    });
    const credentialBundle = context.bundles.credential(privateKey, decodeHex(targetPublicKey));
    return { entry, credentialBundle };
  } finally {
    wipe(privateKey);
  }
}
