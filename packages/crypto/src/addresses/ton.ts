import { sha256 } from "#primitives";
import { concatBytes, decodeHex, encodeBase64Url } from "../encoding/bytes.ts";
import { uncompressedPublicKey } from "../keys/keys.ts";
import { crc16 } from "./crc16.ts";

// A wallet of TON is a contract. Its address is the hash of its initial state: a cell that refers to
// a cell of code, the same for every wallet of a version, and a cell of data with the public key.

/** A version of the wallet contract. */
export type TonWallet = {
  /** Hash and depth of the published code. */
  readonly codeHash: string;
  readonly codeDepth: number;
  /** Bits of the initial data before and after the public key, as text of zeros and ones. */
  readonly before: string;
  readonly after: string;
};

const SEQUENCE_NUMBER = "0".repeat(32);
/** The wallet id of the first wallet in the basic workchain. */
const WALLET_ID = bitsOf(698983191);
/** The same in V5, where it is bound to the main network. */
const V5_MAINNET_WALLET_ID = bitsOf(0x7fffff11);

export const tonWallets = {
  v3r2: {
    codeHash: "84dafa449f98a6987789ba232358072bc0f76dc4524002a5d0918b9a75d2d599",
    codeDepth: 0,
    before: SEQUENCE_NUMBER + WALLET_ID,
    after: "",
  },
  v4r2: {
    codeHash: "feb5ff6820e2ff0d9483e7e0d62c817d846789fb4ae580c878866d959dabd5c0",
    codeDepth: 7,
    before: SEQUENCE_NUMBER + WALLET_ID,
    // No plugins.
    after: "0",
  },
  v5r1: {
    codeHash: "20834b7b72b112147e1b2fb457b84e74d1a30f04f737d4f62a668e9552d2b72f",
    codeDepth: 6,
    // Signatures are allowed.
    before: `1${SEQUENCE_NUMBER}${V5_MAINNET_WALLET_ID}`,
    // No extensions.
    after: "0",
  },
} as const satisfies Record<string, TonWallet>;

/** Tag of an address of the main network to which a failed transfer does not bounce. */
const NON_BOUNCEABLE = 0x51;
const BASIC_WORKCHAIN = 0x00;
/** The initial state has code and data, and no other part. */
const STATE_BITS = "00110";

/** The address of a wallet in its non-bounceable form, which starts with `UQ` (TEP-2). */
export function tonAddress(wallet: TonWallet, publicKey: Uint8Array): string {
  const key = uncompressedPublicKey("CURVE_ED25519", publicKey);
  const keyBits = Array.from(key, (byte) => byte.toString(2).padStart(8, "0")).join("");
  const code = { hash: decodeHex(wallet.codeHash), depth: wallet.codeDepth };
  const data = { hash: cellHash(wallet.before + keyBits + wallet.after, []), depth: 0 };
  const body = concatBytes(
    Uint8Array.of(NON_BOUNCEABLE, BASIC_WORKCHAIN),
    cellHash(STATE_BITS, [code, data]),
  );
  const checksum = crc16(body);
  return encodeBase64Url(concatBytes(body, Uint8Array.of(checksum >> 8, checksum & 0xff)));
}

type Cell = { hash: Uint8Array; depth: number };

/** The representation hash of an ordinary cell. */
function cellHash(bits: string, references: Cell[]): Uint8Array {
  const bytes = Math.ceil(bits.length / 8);
  // Bits that do not fill the last byte are ended by a one and padded with zeros.
  const padded = bits.length % 8 === 0 ? bits : `${bits}1`.padEnd(bytes * 8, "0");
  const content = Uint8Array.from({ length: bytes }, (_, index) =>
    Number.parseInt(padded.slice(index * 8, index * 8 + 8), 2),
  );
  return sha256(
    concatBytes(
      Uint8Array.of(references.length, Math.floor(bits.length / 8) + bytes),
      content,
      ...references.map(({ depth }) => Uint8Array.of(depth >> 8, depth & 0xff)),
      ...references.map(({ hash }) => hash),
    ),
  );
}

function bitsOf(value: number): string {
  return value.toString(2).padStart(32, "0");
}
