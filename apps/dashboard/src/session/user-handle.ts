import { isId } from "./remembered.ts";

// Passkeys that the dashboard makes for somebody of a known organization say where they belong, so nobody has to type an id
// on another device. The id is not secret. A passkey that founds an organization is made before there is an id.

/**
 * The handle of a new passkey: the organization, and then 16 random bytes. Authenticators replace a passkey with the same handle.
 * With the id of a user in it, a link or an answer with somebody's ids would destroy the passkey that they have.
 */
export function userHandle(organizationId: string): Uint8Array {
  const digits = organizationId.replaceAll("-", "").match(/../g) ?? [];
  const organization = digits.map((byte) => Number.parseInt(byte, 16));
  return Uint8Array.from([...organization, ...crypto.getRandomValues(new Uint8Array(16))]);
}

/** The organization in a handle, or undefined if it is not one of ours. The service decides whether it is true. */
export function organizationOfHandle(handle: ArrayBuffer | null | undefined): string | undefined {
  if (handle?.byteLength !== 32) return undefined;
  const digits = Array.from(new Uint8Array(handle, 0, 16), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  const id = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return isId(id) ? id : undefined;
}
