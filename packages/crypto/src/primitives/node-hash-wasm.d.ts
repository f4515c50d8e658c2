declare module "hash-wasm/dist/keccak.umd.min.js" {
  import type { createKeccak } from "hash-wasm";

  const hashes: { createKeccak: typeof createKeccak };
  export = hashes;
}
