import type { IHasher } from "hash-wasm";
import * as shared from "./shared.ts";

// Keccak-256 of a megabyte takes 80 ms in JavaScript, in which a signer signs nothing, and 6 ms in WebAssembly.
// `node:crypto` does not have it. Transactions and messages are smaller, and keep the audited implementation.

export const LARGE_BYTES = 16 * 1024;

let hasher: IHasher | null = null;
let loading: Promise<void> | null = null;

export function keccak256(data: Uint8Array): Uint8Array {
  if (data.length < LARGE_BYTES) return shared.keccak256(data);
  if (!hasher) {
    void loadHasher();
    return shared.keccak256(data);
  }
  return hasher.init().update(data).digest("binary");
}

/** Never fails: without WebAssembly, the other implementation stays. */
export function loadHasher(): Promise<void> {
  loading ??= load().then(
    (loaded) => {
      hasher = loaded;
    },
    () => {},
  );
  return loading;
}

async function load(): Promise<IHasher> {
  // The file of this hash alone has a twentieth of the size of all.
  const { default: loaded } = await import("hash-wasm/dist/keccak.umd.min.js");
  return loaded.createKeccak(256);
}
