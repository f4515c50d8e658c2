import {
  type AddressEncoding,
  type AddressFormatName,
  addressEncodings,
} from "@keyhearth/crypto/addresses/formats";
import { wipe } from "@keyhearth/crypto/encoding/bytes";
import { createDerivation, type Derivation, parsePath } from "@keyhearth/crypto/keys/derive";
import { type Curve, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { mnemonicToSeed, parseMnemonic } from "@keyhearth/crypto/keys/mnemonic";

/** What everybody knows, so that nobody keeps money there: the first one of the BIP-39 vectors. */
export const testMnemonic = `${"abandon ".repeat(11)}about`;

export type DerivedAddress = {
  format: AddressFormatName;
  curve: Curve;
  /** As it counts for the curve. */
  path: string;
  address: string;
};

/** Why a path leads to no address, without words. */
export type PathFault = "form" | "large" | "deep";

/** What keeps a text from being a mnemonic: the position counts from 1. Words are secret, so no fault has one. */
export type MnemonicFault =
  | { kind: "words"; given: number }
  | { kind: "word" | "language"; position: number }
  | { kind: "checksum" };

/** What is wrong with a path. An empty one stands for the usual path of each format. */
export function faultOfPath(path: string): PathFault | null {
  if (path.trim() === "") return null;
  try {
    parsePath(path.trim());
    return null;
  } catch {
    return reasonOf(path.trim());
  }
}

function reasonOf(path: string): PathFault {
  const [root, ...steps] = path.split("/");
  if (root !== "m" || steps.length === 0 || !steps.every((step) => STEP.test(step))) return "form";
  return steps.length > 10 ? "deep" : "large";
}

const STEP = /^(0|[1-9][0-9]*)'?$/;

/** The words without blanks that nobody types on purpose. */
function tidyMnemonic(text: string): string {
  return text.trim().toLowerCase().split(/\s+/).join(" ");
}

export function faultOfMnemonic(text: string): MnemonicFault | null {
  try {
    wipe(parseMnemonic(tidyMnemonic(text)).entropy);
    return null;
  } catch (error) {
    return faultIn(error instanceof Error ? error.message : "", tidyMnemonic(text));
  }
}

/** The sentences of the library name positions, and never a word. */
function faultIn(message: string, mnemonic: string): MnemonicFault {
  const position = Number(/word (\d+)/.exec(message)?.[1] ?? 0);
  if (message.includes("in no BIP-39 word list")) return { kind: "word", position };
  if (message.includes("of another language")) return { kind: "language", position };
  if (message.includes("checksum")) return { kind: "checksum" };
  return { kind: "words", given: mnemonic === "" ? 0 : mnemonic.split(" ").length };
}

export type Wanted = { format: AddressFormatName; path: string };

/** The addresses of a valid mnemonic. A path that is not empty is valid, and counts for all of them. */
export function deriveAddresses(
  mnemonic: string,
  wanted: readonly Wanted[],
  onePath: string,
): DerivedAddress[] {
  const seed = mnemonicToSeed(tidyMnemonic(mnemonic));
  try {
    const derivation = createDerivation(seed);
    try {
      return wanted.flatMap((each) => addressesOf(derivation, each, onePath.trim()));
    } finally {
      derivation.wipe();
    }
  } finally {
    wipe(seed);
  }
}

function addressesOf(derivation: Derivation, { format, path }: Wanted, onePath: string) {
  const { curves, encode }: AddressEncoding = addressEncodings[format];
  const used = onePath === "" ? path : onePath;
  return curves.map((curve) => {
    const privateKey = derivation.privateKey(curve, used);
    try {
      const address = encode(publicKeyOf(curve, privateKey), curve);
      return { format, curve, path: hardened(curve, used), address };
    } finally {
      wipe(privateKey);
    }
  });
}

/** Ed25519 has only hardened steps, so that is the path that counts. */
function hardened(curve: Curve, path: string): string {
  return curve === "CURVE_ED25519" ? path.replace(/(\d+)(?!['\d])/g, "$1'") : path;
}
