import { alreadyExists, checkEach, limitExceeded } from "../errors.ts";
import type { AuthenticatorParams, AuthenticatorParamsV2 } from "../fields/credentials.ts";
import { LIMITS } from "../records/limits.ts";
import type { Authenticator, User } from "../records/organization.ts";
import type { Registrations } from "./passkey-registrations.ts";
import { namesOfPasskey } from "./taken-keys.ts";

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

export function checkAuthenticatorCount(
  user: User | null,
  params: AuthenticatorParamsV2[],
  field: string,
) {
  if ((user?.authenticators.length ?? 0) + params.length <= LIMITS.authenticatorsPerUser) return;
  throw limitExceeded(
    field,
    `user has exceeded maximum authenticators: a user may have ${LIMITS.authenticatorsPerUser}`,
  );
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
