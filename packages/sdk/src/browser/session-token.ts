import { pageOf } from "../connection/answers.ts";
import { parseSession, type VerifiedSession } from "../crypto/session-claims.ts";
import { Unverified } from "../errors/errors.ts";
import { sha256, sha256Hex, verifyP256 } from "../stampers/p256-key.ts";
import { fromBase64Url } from "./base64.ts";

/** Whose session it must be, as far as that is known. */
export type Holder = Partial<Pick<VerifiedSession, "organizationId" | "userId">>;

/**
 * Whose session it must be, and what proved the login, if the token answers one that was just made: the stamp or token,
 * and the token that attested the stamp's key.
 */
export type Login = Holder & { proof?: string; attestation?: string };

/** The key that logged in, the login, the signer's pinned key, and the service, which errors name. */
type Expected = { publicKey: string; sessionPublicKey: string; baseUrl: string; login: Login };

/**
 * Verifies the token that answers a login, and that it is about this key. Throws `Unverified`. The same as
 * `verifySessionJwt` of `/crypto`, but by WebCrypto where there is one, so that pages load no curve.
 */
export async function verifySessionToken(
  token: string,
  { publicKey, sessionPublicKey, baseUrl, login }: Expected,
): Promise<VerifiedSession> {
  if (typeof token !== "string") throw unverified("is missing", baseUrl);
  const end = token.lastIndexOf(".");
  const signature = fromBase64Url(token.slice(end + 1));
  const digest = await sha256(token.slice(0, end));
  if (signature?.length !== 64 || !(await verifyP256(sessionPublicKey, digest, signature))) {
    throw unverified("is not signed with the pinned sessionPublicKey", baseUrl);
  }
  const session = parseSession(token);
  if (!session) throw unverified("does not describe a session", baseUrl);
  if (session.publicKey !== publicKey) {
    throw unverified("is about the key of another session", baseUrl);
  }
  const { organizationId = session.organizationId, userId = session.userId } = login;
  if (session.organizationId !== organizationId || session.userId !== userId) {
    throw unverified("is about another user or organization", baseUrl);
  }
  // Anyone can log in as themselves with the key of this login, or have a token of their own made for it.
  const { proof, attestation } = login;
  const isAnswer =
    (await isDigestOf(proof, session.proofDigest)) &&
    (await isDigestOf(attestation, session.attestationDigest));
  if (!isAnswer) throw unverified("does not answer this login", baseUrl);
  return session;
}

async function isDigestOf(given: string | undefined, digest: string | undefined): Promise<boolean> {
  return given === undefined || digest === (await sha256Hex(given));
}

function unverified(what: string, baseUrl: string): Unverified {
  return new Unverified(
    `The session token of this login ${what}, so no session was started. Compare sessionPublicKey with the one that your operator gave you`,
    { code: "UNVERIFIED", docsUrl: pageOf(baseUrl, "UNVERIFIED") },
  );
}
