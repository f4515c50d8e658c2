import type { VerifiedRequest } from "@keyhearth/sdk/crypto";

// The keys that a file knows: of the users that it shows, and of users and sessions that its requests have made. Only the
// latter are proven, by the receipts of these requests.

/** What gives a key to a user of the organization, also for a while. Others only encrypt something to the key that they name. */
const REGISTERS =
  /^ACTIVITY_TYPE_(CREATE_(API_KEYS|USERS|API_ONLY_USERS)|STAMP_LOGIN|OTP_LOGIN|OAUTH_LOGIN)(_V\d+)?$/;

export function keysRegisteredBy({ type, parameters }: VerifiedRequest): string[] {
  return REGISTERS.test(type) ? publicKeysIn(parameters) : [];
}

/** The keys and passkeys of a `user` line. */
export function keysOfUser({ apiKeys, authenticators }: Record<string, unknown>): string[] {
  return publicKeysIn([apiKeys, authenticators]);
}

/** Hex has two cases. The keys of passkeys are base64url, in which each case is another byte. */
export function sameForm(publicKey: string): string {
  return /^[0-9a-f]+$/i.test(publicKey) ? publicKey.toLowerCase() : publicKey;
}

function publicKeysIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === "publicKey" && typeof member === "string" ? [sameForm(member)] : publicKeysIn(member),
  );
}
