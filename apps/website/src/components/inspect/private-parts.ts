/**
 * Whether a text may be, or contain, something that nobody but its owner may know: a private key, a key file, words of a
 * mnemonic. A field that takes public parts refuses it. In doubt it counts as private.
 */
export function hasPrivatePart(text: string): boolean {
  const trimmed = text.trim();
  if (BARE_KEY.test(trimmed) || KEY_PAIR.test(trimmed) || MNEMONIC.test(trimmed)) return true;
  return PEM.test(trimmed) || MEMBER.test(trimmed) || MEMBER.test(decoded(trimmed));
}

/** Whether such a thing is anywhere in a sentence. What readers write in words leaves the page only if not. */
export function mentionsPrivatePart(sentence: string): boolean {
  const parts = [...sentence.split(/[\s"'`,;()]+/), ...(sentence.match(/\{.*\}/s) ?? [])];
  return PEM.test(sentence) || WORDS.test(sentence) || parts.some(hasPrivatePart);
}

/** 32 bytes in hex, perhaps with the curve. A public key on Ed25519 looks the same. */
const BARE_KEY = /^(0x)?[0-9a-f]{64}(:\w+)?$/i;
/** 64 bytes in base58, as wallets for Solana show a key. */
const KEY_PAIR = /^[1-9A-HJ-NP-Za-km-z]{86,88}$/;
const MNEMONIC = /^\p{L}+([\s\u3000]+\p{L}+){11,23}$/u;
/** Words of BIP-39 have three to eight letters. Twelve such words in a row are rare in a sentence. */
const WORDS = /\b[a-z]{3,8}(\s+[a-z]{3,8}){11,}\b/;
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
/** A member of JSON with such a name and a text. `d` is the private half of a JWK. Ids and names of keys are public. */
const MEMBER =
  /["'](\w*private_?key|secret|\w*secret_?key|mnemonic|seed|seed_?phrase|passphrase|d)["']\s*:\s*["']/i;

/** What is inside base64 or base64url. Empty for any other text. */
function decoded(text: string): string {
  if (!/^[\w+/-]+=*$/.test(text)) return "";
  try {
    return atob(text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, ""));
  } catch {
    return "";
  }
}
