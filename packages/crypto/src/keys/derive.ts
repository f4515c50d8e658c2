import * as primitives from "#primitives";
import { type Curve, isScalar } from "../curves.ts";
import { encodeUtf8, wipe } from "../encoding/bytes.ts";
import { type SecretBytes, secretBytes } from "../secret-bytes.ts";

/** The components of a derivation path. `index` does not include the bit that marks hardening. */
export type Path = { indexes: { index: number; hardened: boolean }[] };

/** The longest path of ten components. */
export const MAX_PATH_LENGTH = 131;

/**
 * Parses a path like `m/44'/60'/0'/0/0`: one to ten components below 2^31. An apostrophe marks a
 * hardened one. `h`, `H`, leading zeros and white space are refused, so that a path has one
 * spelling.
 */
export function parsePath(path: string): Path {
  if (path.length > MAX_PATH_LENGTH || !PATH.test(path)) throw new Error("invalid path");
  const indexes = path
    .split("/")
    .slice(1)
    .map((component) => ({
      index: Number.parseInt(component, 10),
      hardened: component.endsWith("'"),
    }));
  if (indexes.some(({ index }) => index >= HARDENED)) throw new Error("invalid path");
  return { indexes };
}

/** Derives the private key of 32 bytes at a path. See `createDerivation`. */
export function derivePrivateKey({
  seed,
  curve,
  path,
}: {
  seed: Uint8Array;
  curve: Curve;
  path: string;
}): SecretBytes {
  const derivation = createDerivation(seed);
  try {
    return derivation.privateKey(curve, path);
  } finally {
    derivation.wipe();
  }
}

/** Derives keys of one seed. What their paths share is derived once, and kept until `wipe`. */
export type Derivation = {
  /**
   * The private key of 32 bytes at a path: by BIP-32 for secp256k1, by SLIP-0010 for P-256 and
   * Ed25519. Ed25519 has only hardened children, so every component counts as hardened there.
   */
  privateKey(curve: Curve, path: string): SecretBytes;
  wipe(): void;
};

export function createDerivation(seed: Uint8Array): Derivation {
  if (seed.length < 16 || seed.length > 64) throw new Error("invalid seed");
  const nodes = new Map<string, Uint8Array>();
  function nodeAt(place: string, make: () => Uint8Array): Uint8Array {
    const node = nodes.get(place) ?? make();
    nodes.set(place, node);
    return node;
  }
  return {
    privateKey(curve, path) {
      let place: string = curve;
      let node = nodeAt(place, () => masterNode(curve, seed));
      for (const { index, hardened } of parsePath(path).indexes) {
        const isHardened = hardened || curve === "CURVE_ED25519";
        const position = isHardened ? index + HARDENED : index;
        const parent = node;
        place = `${place}/${position}`;
        node = nodeAt(place, () => childNode(curve, parent, position));
      }
      return secretBytes(node.slice(0, 32));
    },
    wipe() {
      for (const node of nodes.values()) wipe(node);
      nodes.clear();
    },
  };
}

// A node is 64 bytes: the private key, then the chain code, in the order of the HMAC output.

function masterNode(curve: Curve, seed: Uint8Array): Uint8Array {
  const key = encodeUtf8(MASTER_KEYS[curve]);
  let node = primitives.hmacSha512(key, seed);
  while (!primitives.isPrivateKey(curve, node.subarray(0, 32))) {
    if (curve !== "CURVE_P256") throw new Error("invalid seed");
    // SLIP-0010, master key generation, step 5: hash again.
    node = primitives.hmacSha512(key, node);
  }
  return node;
}

function childNode(curve: Curve, parent: Uint8Array, index: number): Uint8Array {
  const privateKey = parent.subarray(0, 32);
  const chainCode = parent.subarray(32);
  const data = new Uint8Array(37);
  if (index >= HARDENED) data.set(privateKey, 1);
  else data.set(primitives.publicKeyOf(curve, privateKey), 0);
  new DataView(data.buffer).setUint32(33, index);
  try {
    const node = primitives.hmacSha512(chainCode, data);
    switch (curve) {
      case "CURVE_ED25519":
        return node;
      case "CURVE_SECP256K1":
        node.set(primitives.tweakAddSecp256k1(privateKey, node.subarray(0, 32)), 0);
        return node;
      case "CURVE_P256":
        return addToParent(node, { privateKey, chainCode, data });
    }
  } finally {
    wipe(data);
  }
}

/** SLIP-0010, private parent to private child, steps 3 to 6: hash again until the key exists. */
function addToParent(
  node: Uint8Array,
  { privateKey, chainCode, data }: Record<"privateKey" | "chainCode" | "data", Uint8Array>,
): Uint8Array {
  for (let attempt = node; ; attempt = primitives.hmacSha512(chainCode, data)) {
    const tweak = attempt.subarray(0, 32);
    if (isScalar("CURVE_P256", tweak)) {
      attempt.set(primitives.addScalars("CURVE_P256", privateKey, tweak), 0);
      return attempt;
    }
    data[0] = 1;
    data.set(attempt.subarray(32), 1);
  }
}

const MASTER_KEYS = {
  CURVE_SECP256K1: "Bitcoin seed",
  CURVE_ED25519: "ed25519 seed",
  CURVE_P256: "Nist256p1 seed",
};
const HARDENED = 2 ** 31;
const PATH = /^m(\/(0|[1-9][0-9]{0,9})'?){1,10}$/;
