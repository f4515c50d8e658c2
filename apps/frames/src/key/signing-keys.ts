import { ethereumAddress } from "@keyhearth/crypto/addresses/ethereum";
import { solanaAddress } from "@keyhearth/crypto/addresses/solana";
import { wipe } from "@keyhearth/crypto/encoding/bytes";
import { isValidPrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { Refusal } from "../channel/refusal.ts";

export type SigningChain = "ETHEREUM" | "SOLANA";

const curves = { ETHEREUM: "CURVE_SECP256K1", SOLANA: "CURVE_ED25519" } as const;

export type SigningKey = {
  chain: SigningChain;
  bytes: Uint8Array;
  publicKey: Uint8Array;
};

type Kept = SigningKey & { address: string; expiresAtMs: number; timer: number };

const HOURS_24_MS = 24 * 60 * 60 * 1000;
const MOST = 100;
const WITHOUT_ADDRESS = "default";

/** Keys in memory alone, by their address. They are wiped when the page is left, and after a day. */
export function createSigningKeys() {
  const keys = new Map<string, Kept>();

  function drop(name: string) {
    const key = keys.get(name);
    if (!key) return;
    clearTimeout(key.timer);
    wipe(key.bytes);
    keys.delete(name);
  }

  function clear() {
    for (const name of [...keys.keys()]) drop(name);
  }

  window.addEventListener("pagehide", clear);
  return {
    /** Takes over the bytes of a key. An address of its chain must be the key's own. */
    add(bytes: Uint8Array, chain: SigningChain, address: string | undefined) {
      const curve = curves[chain];
      if (!isValidPrivateKey(curve, bytes)) throw new Error("malformed bundle");
      const publicKey = publicKeyOf(curve, bytes);
      const own = chain === "SOLANA" ? solanaAddress(publicKey) : ethereumAddress(publicKey);
      const isOther = address !== undefined && address.toLowerCase() !== own.toLowerCase();
      if (isOther || (chain === "SOLANA" && address !== undefined && address !== own)) {
        throw new Refusal(
          `the key in the bundle has another address than ${address}; pass the address that was exported, and its keyFormat`,
        );
      }
      const name = nameOf(address);
      if (keys.size >= MOST && !keys.has(name)) {
        throw new Refusal(
          `this frame holds ${MOST} keys; clear them with CLEAR_EMBEDDED_PRIVATE_KEY first`,
        );
      }
      drop(name);
      keys.set(name, {
        chain,
        bytes,
        publicKey,
        address: nameOf(own),
        // A timer stands still while the computer sleeps.
        expiresAtMs: Date.now() + HOURS_24_MS,
        timer: window.setTimeout(() => drop(name), HOURS_24_MS),
      });
    },

    /** The key of an address, for its chain. */
    get(address: string | undefined, chain: SigningChain): SigningKey {
      const name = nameOf(address);
      const key = keys.get(name);
      if (!key || key.expiresAtMs <= Date.now()) {
        drop(name);
        throw new Refusal(
          `this frame holds no key for ${address ?? "a request without an address"}, or it has expired; inject its export first`,
        );
      }
      if (key.chain === chain) return key;
      throw new Refusal(`the key of ${name} is one of ${key.chain} and signs nothing of ${chain}`);
    },

    /** Every key of the address, also one that was given without it. Without an address, all. */
    clear(address: string | undefined) {
      if (address === undefined) return clear();
      for (const [name, key] of [...keys]) if (key.address === nameOf(address)) drop(name);
    },
  };
}

/** Apps write addresses of Ethereum in either case. */
function nameOf(address = WITHOUT_ADDRESS): string {
  return /^0x/i.test(address) ? address.toLowerCase() : address;
}
