import { decodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import { curveOfScheme, verifyApiKeyStamp } from "@keyhearth/crypto/stamps/stamp";
import { verifyWebAuthnStamp } from "@keyhearth/crypto/webauthn/webauthn";
import { unauthenticated } from "../errors.ts";
import type { ApiKeyParamsV2 } from "../fields/credentials.ts";
import {
  type Authenticated,
  attestedNotTaken,
  isAttestedStamp,
  isPasskeyStamp,
  type Stamp,
  shownStamp,
} from "./authenticate.ts";
import type { NewPasskey } from "./passkey-registrations.ts";

/** Credentials that a request registers for the user who stamped it. */
export type OwnCredentials = {
  apiKeys?: readonly Pick<ApiKeyParamsV2, "publicKey" | "curveType">[];
  passkeys?: readonly NewPasskey[];
  /** The pages whose passkeys count. `*`, the default, stands for all of them. */
  origins?: readonly string[];
};

/**
 * Verifies the stamp of a request by a credential that the request itself registers. No organization
 * knows that credential yet, so the stamp proves only that the sender holds it. Whether the request
 * may do what it asks for is for the caller to check. Returns what the vote shows of the stamp.
 */
export function verifySelfStamp(
  stamp: Stamp,
  body: Uint8Array,
  own: OwnCredentials,
): Authenticated["stamp"] {
  if (isAttestedStamp(stamp)) throw attestedNotTaken();
  const shown = verify(stamp, body, own);
  if (shown) return shown;
  throw unauthenticated(
    "STAMP_INVALID",
    "the request must be stamped with the credential that it registers, over exactly the bytes that are sent",
  );
}

function verify(
  stamp: Stamp,
  body: Uint8Array,
  { apiKeys = [], passkeys = [], origins = ["*"] }: OwnCredentials,
): Authenticated["stamp"] | null {
  if (!isPasskeyStamp(stamp)) {
    const curve = curveOfScheme(stamp.scheme);
    const isOwn = apiKeys.some(
      ({ publicKey, curveType }) => publicKey === stamp.publicKey && curveType === curve,
    );
    return isOwn && verifyApiKeyStamp(stamp, body) ? stamp : null;
  }
  const passkey = passkeys.find(({ credentialId }) => credentialId === stamp.credentialId);
  if (!passkey) return null;
  const { publicKey } = passkey.credential;
  const isValid = verifyWebAuthnStamp(stamp, body, decodeBase64Url(publicKey), { origins });
  return isValid ? shownStamp(stamp, publicKey) : null;
}
