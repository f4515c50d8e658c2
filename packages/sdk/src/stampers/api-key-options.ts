import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { InvalidCredential } from "../errors/errors.ts";

// What the stampers of API keys check alike. No error has a cause or shows a value, which may be a key.

/** The bytes of a key in hex. Throws `InvalidCredential` for anything but so many bytes. */
export function keyBytes(field: string, hex: unknown, length: number): Uint8Array {
  if (hex === undefined) {
    throw invalidKey(
      field,
      "is missing. Take it from a key file of the service, such as data/root-api-key.json",
    );
  }
  if (typeof hex !== "string" || !/^[0-9a-f]*$/i.test(hex)) {
    throw invalidKey(field, `must be hex without 0x: ${length} bytes`);
  }
  if (hex.length !== 2 * length) {
    throw invalidKey(field, `must have ${length} bytes in hex, but has ${hex.length / 2}`);
  }
  return decodeHex(hex);
}

/** For halves of two pairs the service answers "unknown credential", which is misleading. */
export function notAPair(): InvalidCredential {
  return invalidKey(
    "apiPublicKey",
    "is not the public key of apiPrivateKey in this scheme. Take both from the same key file, and set scheme if the key is not on P-256",
  );
}

export function invalidKey(field: string, message: string): InvalidCredential {
  return new InvalidCredential(`${field} ${message}`, { code: "INVALID_CREDENTIAL", field });
}
