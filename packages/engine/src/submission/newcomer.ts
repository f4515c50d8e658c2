import { maySend } from "../declare/define.ts";
import {
  type Authenticated,
  type IsBy,
  isPasskeyStamp,
  type Stamp,
} from "../people/authenticate.ts";
import { verifySelfStamp } from "../people/self-stamp.ts";
import { deriveId } from "../vault/ids.ts";
import { originsFor, type Unsent } from "./submission.ts";

/**
 * The user whom the request makes, who is not in the document yet. The passkey that the request
 * registers must have stamped it. Whether the request may do this is for its declaration to check. Null
 * if a known user is asking: also if the same bytes are sent again once they have made the user.
 */
export function identifyNewcomer(request: Unsent, stamp: Stamp, isBy: IsBy): Authenticated | null {
  const { core, declaration, document, organization, intent, bodyBytes, fingerprint } = request;
  if (!declaration.newUser || !maySend("newcomer", declaration)) return null;
  const origins = originsFor(request);
  const known = isPasskeyStamp(stamp) ? organization.findPasskey(stamp.credentialId) : undefined;
  if (known && isBy(known.credential.publicKey)) return null;
  const { registrations, nowMs } = request;
  const newId = (name: string) =>
    deriveId(core.keyring, `${document.organizationId}|${fingerprint}|${name}`);
  const user = declaration.newUser({ document, registrations, newId, nowMs }, intent);
  const passkeys = user.authenticators;
  const shown = verifySelfStamp(stamp, bodyBytes, { passkeys, origins });
  const own = passkeys.find(({ credential }) => credential.publicKey === shown.publicKey);
  if (!own) throw new Error("a stamp by a passkey that was not registered");
  const { authenticatorId: id, credential, credentialId } = own;
  return { user, credential: { id, ...credential, credentialId }, stamp: shown, session: null };
}
