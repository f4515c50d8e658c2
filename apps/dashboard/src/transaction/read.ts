import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import type { AddressFormat } from "@keyhearth/sdk";
import { readBitcoin } from "./bitcoin.ts";
import { contractOfEthereum, readEthereum } from "./ethereum.ts";
import type { KnownInterface, Reading } from "./reading.ts";
import { programsOfSolana, readSolana } from "./solana.ts";
import { readTron } from "./tron.ts";

// Reads transactions with the signer's own decoders, to the last byte: what they refuse, the signer refuses.

export type Given = {
  type: string;
  bytes: Uint8Array;
  /** The address that signs, or the id of a key. */
  signWith?: string | undefined;
  /** Of the address that signs. */
  format?: AddressFormat | undefined;
  /** Those of the contracts that it calls. */
  interfaces?: readonly KnownInterface[];
};

/** Throws the decoder's sentence if the signer would refuse the bytes. */
export function readTransaction({
  type,
  bytes,
  signWith = "",
  format,
  interfaces = [],
}: Given): Reading {
  switch (type) {
    case "TRANSACTION_TYPE_ETHEREUM":
      return readEthereum(bytes, interfaces);
    case "TRANSACTION_TYPE_SOLANA":
      return readSolana(bytes, interfaces);
    case "TRANSACTION_TYPE_BITCOIN":
      return readBitcoin(bytes, { signWith, format });
    case "TRANSACTION_TYPE_TRON":
      return readTron(bytes);
    case "TRANSACTION_TYPE_TEMPO":
      return {
        title: "A transaction of Tempo",
        facts: [
          { name: "Size", value: `${bytes.length} bytes` },
          { name: "SHA-256", value: encodeHex(sha256(bytes)), isMono: true },
        ],
        warnings: [
          "This page cannot read transactions of Tempo. Sign it only if you know what it does.",
        ],
        isUnread: true,
      };
    default:
      throw new Error(`this page does not read transactions of the type ${type}`);
  }
}

/** The addresses of the contracts or programs that it calls. */
export function contractsIn({ type, bytes }: Given): string[] {
  if (type === "TRANSACTION_TYPE_ETHEREUM") return contractOfEthereum(bytes);
  return type === "TRANSACTION_TYPE_SOLANA" ? programsOfSolana(bytes) : [];
}

/** The bytes in a request, which are in hexadecimal digits. */
export function bytesOfRequest(unsigned: string): Uint8Array {
  return decodeHex(unsigned.replace(/^0x/i, "").toLowerCase());
}

/** The bytes of a pasted transaction: hex, or for a PSBT and for Solana also Base64. */
export function bytesOfPasted(text: string, type: string): Uint8Array {
  const pasted = text.replace(/\s/g, "");
  const hex = pasted.replace(/^0x/i, "").toLowerCase();
  if (/^([0-9a-f]{2})+$/.test(hex)) return decodeHex(hex);
  const hasBase64 = type === "TRANSACTION_TYPE_BITCOIN" || type === "TRANSACTION_TYPE_SOLANA";
  if (hasBase64 && /^[A-Za-z0-9+/]+={0,2}$/.test(pasted) && pasted.length % 4 === 0) {
    return Uint8Array.from(atob(pasted), (character) => character.charCodeAt(0));
  }
  throw new Error(
    hasBase64
      ? "Paste the transaction in hexadecimal digits or in Base64."
      : "Paste the transaction in hexadecimal digits, two for each byte, with or without 0x.",
  );
}
