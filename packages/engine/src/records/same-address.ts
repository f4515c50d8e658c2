/** Compares exactly, except that hex addresses with 0x match in any case. */
export function isSameAddress(address: string, given: string): boolean {
  if (address === given) return true;
  if (address.length !== given.length) return false;
  if (!address.startsWith("0x") || !given.startsWith("0x")) return false;
  // One character after the other, since most addresses differ at once. Lower case would be a copy.
  for (let i = 2; i < address.length; i++) {
    if (lowerCode(address, i) !== lowerCode(given, i)) return false;
  }
  return true;
}

/** Of A to Z only: other letters with a lower case are not part of an address. */
function lowerCode(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
}
