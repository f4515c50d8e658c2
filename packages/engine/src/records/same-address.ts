import { lowerCase } from "@keyhearth/policy/values";

/** Compares exactly, except that hex addresses with 0x match in any case of the letters A to Z. */
export function isSameAddress(address: string, given: string): boolean {
  if (address === given) return true;
  const isHex = address.startsWith("0x") && given.startsWith("0x");
  return isHex && lowerCase(address) === lowerCase(given);
}
