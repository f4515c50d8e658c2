export type Curve = "CURVE_SECP256K1" | "CURVE_ED25519" | "CURVE_P256";

/** The order of the group of an ECDSA curve (SEC 2, 2.4.1 and 2.4.2). */
export function orderOf(curve: Exclude<Curve, "CURVE_ED25519">): bigint {
  switch (curve) {
    case "CURVE_SECP256K1":
      return 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    case "CURVE_P256":
      return 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  }
}

/** Whether the bytes are a number from 1 to the order minus one: a private key, an r or an s. */
export function isScalar(curve: Exclude<Curve, "CURVE_ED25519">, bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return false;
  const order = curve === "CURVE_P256" ? P256_ORDER : SECP256K1_ORDER;
  // The borrow of `bytes - order` and the OR of all bytes, in time independent of the secret.
  let borrow = 0;
  let any = 0;
  for (let i = 31; i >= 0; i--) {
    const byte = bytes[i] as number; // 32 bytes, checked above
    borrow = (byte - (order[i] as number) - borrow) >>> 31;
    any |= byte;
  }
  return borrow === 1 && any !== 0;
}

/** The length of a compressed public key in bytes. Ed25519 has no other form. */
export function publicKeyLength(curve: Curve): number {
  return curve === "CURVE_ED25519" ? 32 : 33;
}

// biome-ignore format: four rows of eight bytes
const P256_ORDER = Uint8Array.of(
  0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00,
  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
  0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84,
  0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
);
// biome-ignore format: four rows of eight bytes
const SECP256K1_ORDER = Uint8Array.of(
  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
  0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b,
  0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41,
);
