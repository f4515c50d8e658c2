/** Compares exactly, except that hex addresses with 0x match in any case. */
export function isSameAddress(address: string, given: string): boolean {
  if (address === given) return true;
  return address.startsWith("0x") && address.toLowerCase() === given.toLowerCase();
}
