/** Crockford's alphabet: without I, L, O and U, which people mistake for others. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const DIGITS = "0123456789";

export type CodeForm = { length: number; isAlphanumeric: boolean };

/** Makes a code in which every character is equally likely. `block` gives the bytes of each number. */
export function createCode(
  { length, isAlphanumeric }: CodeForm,
  block: (number: number) => Uint8Array,
): string {
  const characters = isAlphanumeric ? ALPHABET : DIGITS;
  // Bytes from here on would make the first characters more likely.
  const fair = 256 - (256 % characters.length);
  let code = "";
  for (let number = 0; ; number++) {
    for (const byte of block(number)) {
      if (byte < fair) code += characters.charAt(byte % characters.length);
      if (code.length === length) return code;
    }
  }
}

/** How likely a guess is right. */
export function chanceOf({ length, isAlphanumeric }: CodeForm): number {
  return 1 / (isAlphanumeric ? ALPHABET : DIGITS).length ** length;
}

/** A code as it was made, however somebody typed it: in lower case, with O for 0, or I and L for 1. */
export function normalizeCode(typed: string): string {
  return typed.replace(/[\s-]/g, "").toUpperCase().replace(/O/g, "0").replace(/[IL]/g, "1");
}
