// The text in which a mnemonic travels: alone, or with its passphrase after a line break.

// Some clients put this before a passphrase, and others only a line break.
const LONG_SEPARATOR = "\n--PASS--\n";

/** A passphrase is one line, so that each text has one meaning. The error shows no part of the text. */
export function splitMnemonicText(text: string): { mnemonic: string; passphrase: string } {
  const end = text.indexOf("\n");
  if (end === -1) return { mnemonic: text, passphrase: "" };
  const separator = text.startsWith(LONG_SEPARATOR, end) ? LONG_SEPARATOR : "\n";
  const mnemonic = text.slice(0, end);
  const passphrase = text.slice(end + separator.length);
  if (/[\r\n]/.test(passphrase) || mnemonic.endsWith("\r")) throw new Error(severalLines);
  return { mnemonic, passphrase };
}

/** Refuses what `splitMnemonicText` would read as something else. */
export function formatMnemonicText(mnemonic: string, passphrase: string): string {
  if (/[\r\n]/.test(mnemonic + passphrase)) throw new Error(severalLines);
  return passphrase === "" ? mnemonic : `${mnemonic}\n${passphrase}`;
}

const severalLines =
  "invalid mnemonic: all words are on the first line, and only a passphrase of one line may follow; lines end with \\n";
