import { pageOf } from "../answers.ts";
import { Unverified } from "../errors.ts";
import { parseSession, type VerifiedSession } from "../session-claims.ts";
import { subtle, utf8, verifyP256 } from "../stampers/p256-key.ts";
import { fromBase64Url } from "./base64.ts";

/** Whose session it must be, as far as that is known. */
export type Holder = Partial<Pick<VerifiedSession, "organizationId" | "userId">>;

/** The key that logged in, the signer's pinned key, the holder, and the service, which errors name. */
type Expected = { publicKey: string; sessionPublicKey: string; baseUrl: string; holder: Holder };

/**
 * Verifies the token that answers a login, and that it is about this key. Throws `Unverified`. The same as
 * `verifySessionJwt` of `/crypto`, but by WebCrypto, so that pages load no curve.
 */
export async function verifySessionToken(
  token: string,
  { publicKey, sessionPublicKey, baseUrl, holder }: Expected,
): Promise<VerifiedSession> {
  if (typeof token !== "string") throw unverified("is missing", baseUrl);
  const end = token.lastIndexOf(".");
  const signature = fromBase64Url(token.slice(end + 1));
  const digest = new Uint8Array(await subtle().digest("SHA-256", utf8(token.slice(0, end))));
  if (signature?.length !== 64 || !(await verifyP256(sessionPublicKey, digest, signature))) {
    throw unverified("is not signed with the pinned sessionPublicKey", baseUrl);
  }
  const session = parseSession(token);
  if (!session) throw unverified("does not describe a session", baseUrl);
  if (session.publicKey !== publicKey) {
    throw unverified("is about the key of another session", baseUrl);
  }
  const { organizationId = session.organizationId, userId = session.userId } = holder;
  if (session.organizationId !== organizationId || session.userId !== userId) {
    throw unverified("is about another user or organization", baseUrl);
  }
  return session;
}

function unverified(what: string, baseUrl: string): Unverified {
  return new Unverified(
    `The session token of this login ${what}, so no session was started. Compare sessionPublicKey with the one that your operator gave you`,
    { code: "UNVERIFIED", docsUrl: pageOf(baseUrl, "UNVERIFIED") },
  );
}
