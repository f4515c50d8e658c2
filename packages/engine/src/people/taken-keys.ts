import {
  concatBytes,
  decodeBase64Url,
  encodeHex,
  encodeUtf8,
} from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import {
  parseAttestationObject,
  readAttestedCredential,
} from "@keyhearth/crypto/webauthn/attestation";
import { decodeCoseKey } from "@keyhearth/crypto/webauthn/cose";
import type { AuthenticatorParamsV2 } from "../fields/credentials.ts";
import type { Facts } from "../records/facts.ts";
import type { Want } from "../records/kinds.ts";
import type { Authenticator } from "../records/organization.ts";

// A public key belongs to one user of an organization, as an API key, a passkey or the key of a session.

/** The sessions that may hold one of the keys to register. */
export function keyHolderWant({
  apiKeys = [],
  authenticators = [],
}: {
  apiKeys?: { publicKey: string }[];
  authenticators?: AuthenticatorParamsV2[];
}): Want {
  const publicKeys = apiKeys.map(({ publicKey }) => publicKey);
  const ofPasskeys = authenticators.flatMap((params) => registeredKeyName(params) ?? []);
  return { type: "sessions-of-keys", publicKeys: [...publicKeys, ...ofPasskeys] };
}

/**
 * Public keys and credential ids that belong to users already, whether they expire or not. The expiring
 * ones of one user can be left out: the user may register them again.
 */
export function takenPublicKeys(
  { document, records, nowMs }: Facts & { nowMs: number },
  exceptSessionsOf?: string,
) {
  const longLived = document.users.flatMap(({ apiKeys, authenticators }) => [
    ...apiKeys.map(({ credential }) => credential.publicKey),
    ...authenticators.flatMap(namesOfPasskey),
  ]);
  return new Set([...longLived, ...records.sessionKeys(nowMs, exceptSessionsOf)]);
}

/** What nobody else may hold: the credential id, and the public key in whatever form it is given. */
export function namesOfPasskey({
  credentialId,
  keyName,
}: Pick<Authenticator, "credentialId" | "keyName">): string[] {
  return [`credential id ${credentialId}`, keyName];
}

/**
 * One name for each public key: that of the API key, if it could be one. COSE allows several encodings
 * of a key, because the order of its members is free.
 */
export function keyNameOf(cosePublicKey: Uint8Array): string {
  const key = decodeCoseKey(cosePublicKey);
  if (key.algorithm === "RS256") {
    const { modulus, exponent } = key.publicKey;
    const members = encodeUtf8(`${encodeHex(exponent)} ${encodeHex(modulus)}`);
    return `rsa ${encodeHex(sha256(members))}`;
  }
  const [y = 0] = key.publicKey.subarray(64);
  return encodeHex(concatBytes(Uint8Array.of(2 + (y & 1)), key.publicKey.subarray(1, 33)));
}

/** The same for a passkey that a request registers and that was not checked yet. Undefined if it is malformed. */
function registeredKeyName({ attestation }: AuthenticatorParamsV2): string | undefined {
  try {
    const object = parseAttestationObject(decodeBase64Url(attestation.attestationObject));
    return keyNameOf(readAttestedCredential(object.authenticatorData).publicKey);
  } catch {
    return undefined;
  }
}
