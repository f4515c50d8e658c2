import {
  type Authenticated,
  isPasskeyStamp,
  parseStamp,
  type StampHeader,
} from "../people/authenticate.ts";
import { verifySelfStamp } from "../people/self-stamp.ts";
import { deriveId } from "../vault/ids.ts";
import type { Submission } from "./submission.ts";

type Unidentified = Omit<Submission, "who" | "decider"> & {
  stamp: StampHeader | null;
  origins: readonly string[];
};

/**
 * The user whom the request makes, who is not in the document yet. The passkey that the request
 * registers must have stamped it. Whether the request may do this is for its declaration to check. Null
 * if a known user is asking: also if the same bytes are sent again once they have made the user.
 */
export function identifyNewcomer(request: Unidentified): Authenticated | null {
  const { core, declaration, document, organization, intent, bodyBytes, fingerprint } = request;
  const stamp = parseStamp(request.stamp);
  const isKnown = isPasskeyStamp(stamp) && organization.findPasskey(stamp.credentialId);
  if (!declaration.newcomer || isKnown) return null;
  const user = declaration.newcomer(
    {
      document,
      registrations: request.registrations,
      newId: (name) => deriveId(core.keyring, `${document.organizationId}|${fingerprint}|${name}`),
      nowMs: request.nowMs,
    },
    intent,
  );
  const { origins } = request;
  const passkeys = user.authenticators;
  const shown = verifySelfStamp(request.stamp, bodyBytes, { passkeys, origins });
  const own = passkeys.find(({ credential }) => credential.publicKey === shown.publicKey);
  if (!own) throw new Error("a stamp by a passkey that was not registered");
  const { authenticatorId: id, credential, credentialId } = own;
  return { user, credential: { id, ...credential, credentialId }, stamp: shown, session: null };
}
