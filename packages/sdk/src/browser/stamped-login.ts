import { stampLogin } from "../calls/generated/calls.ts";
import { parseObject } from "../connection/answers.ts";
import type { Stamper } from "../connection/request.ts";
import type { P256Key } from "../stampers/p256-key.ts";
import { objectFromBase64Url } from "./base64.ts";
import { loginOf, type Session, type SessionRequest } from "./session.ts";
import type { SessionKeeper } from "./session-keeper.ts";
import type { Holder, Login } from "./session-token.ts";

/**
 * Logs in with a stamp, and starts a session with this key. `holder` says whose session it must be, as far as that is
 * known. The organization that is asked may be a parent of it.
 */
export async function logInWithStamp(
  keeper: SessionKeeper,
  stamper: Stamper,
  { key, organizationId, holder = {} }: { key: P256Key; organizationId?: string; holder?: Holder },
  request: SessionRequest,
): Promise<Session> {
  let proof: Proof | undefined;
  const remembering: Stamper = {
    async stamp(body) {
      const header = await stamper.stamp(body);
      // Later stamps poll for the outcome.
      proof ??= proofOf(header.value);
      return header;
    },
  };
  const connection = keeper.connectionFor(remembering, organizationId);
  const { parameters, options } = loginOf(request);
  const { publicKey } = key;
  const { session } = await stampLogin(connection, { publicKey, ...parameters }, options);
  return keeper.start(key, session, { ...holder, ...(proof ?? { proof: "" }) }, request);
}

type Proof = Required<Pick<Login, "proof">> & Pick<Login, "attestation">;

/** What the stamp in this header proves a login with, as the signer writes it. */
function proofOf(header: string): Proof {
  const {
    publicKey,
    scheme,
    publicKeyAttestation: attestation,
    ...stamp
  } = {
    ...(header.startsWith("{") ? parseObject(header) : objectFromBase64Url(header)),
  };
  const { authenticatorData, clientDataJson, credentialId, signature } = stamp;
  if (credentialId !== undefined) {
    return {
      proof: JSON.stringify({ authenticatorData, clientDataJson, credentialId, signature }),
    };
  }
  return {
    proof: `${String(publicKey).toLowerCase()} ${scheme} ${signature}`,
    ...(attestation !== undefined && { attestation: String(attestation) }),
  };
}
