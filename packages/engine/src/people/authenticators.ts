import { decodeBase64Url } from "@keyhearth/crypto/encoding";
import { alreadyExists, checkEach } from "../errors.ts";
import type { AuthenticatorParams, AuthenticatorParamsV2 } from "../fields.ts";
import type { Authenticator } from "../records/organization.ts";
import { keyNameOf, type NewPasskey, type Registrations } from "./passkey-registrations.ts";

/** Creates passkeys for the document. */
export function createAuthenticators(
  params: AuthenticatorParamsV2[],
  {
    newId,
    nowMs,
    registrations,
  }: { newId: (name: string) => string; nowMs: number; registrations: Registrations },
): Authenticator[] {
  return params.map((each, index) => ({
    authenticatorId: newId(`authenticator/${index}`),
    authenticatorName: each.authenticatorName,
    ...registrations.read(each, `authenticators[${index}]`),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }));
}

/**
 * Every passkey must be made for this organization, and nobody may have its key or its credential id
 * already, in whatever form. Adds them to `taken`.
 */
export function checkAuthenticators(
  params: AuthenticatorParamsV2[],
  field: string,
  { taken, registrations }: { taken: Set<string>; registrations: Registrations },
) {
  const found = { taken, registrations };
  checkEach(params, (each, index) => checkAuthenticator(each, `${field}[${index}]`, found));
}

export function checkAuthenticator(
  params: AuthenticatorParamsV2,
  field: string,
  { taken, registrations }: { taken: Set<string>; registrations: Registrations },
) {
  const passkey = registrations.read(params, field);
  const names = namesOfPasskey(passkey);
  if (names.some((name) => taken.has(name))) {
    throw alreadyExists(
      "PUBLIC_KEY_TAKEN",
      `${field}.attestation`,
      `a credential with the credential ID \`${passkey.credentialId}\`, or with its public key, already exists in this organization`,
    );
  }
  for (const name of names) taken.add(name);
}

type Named = Pick<NewPasskey, "credentialId" | "credential">;

// Every login asks for the names of all passkeys of its organization. They live as long as the document.
const names = new WeakMap<Named, string[]>();

/** What nobody else may hold. */
export function namesOfPasskey(passkey: Named): string[] {
  const known = names.get(passkey);
  if (known) return known;
  const { credentialId, credential } = passkey;
  const key = keyNameOf(decodeBase64Url(credential.publicKey));
  const made = [`credential id ${credentialId}`, key];
  names.set(passkey, made);
  return made;
}

/** The oldest form of a passkey is what browsers return. */
export function fromBrowser({
  authenticatorName,
  challenge,
  attestation: { id, response },
}: AuthenticatorParams): AuthenticatorParamsV2 {
  const { clientDataJson, attestationObject, transports = [] } = response;
  return {
    authenticatorName,
    challenge,
    attestation: { credentialId: id, clientDataJson, attestationObject, transports },
  };
}
