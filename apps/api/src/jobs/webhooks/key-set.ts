import { decodeHex, encodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import type { Description } from "@keyhearth/engine/core/protocol";

/** The keys with which receivers verify deliveries, as a JWK set. */
export function keySetOf({ keyId, publicKey }: Description["webhookKey"]) {
  return {
    keys: [
      {
        kty: "OKP",
        crv: "Ed25519",
        alg: "EdDSA",
        use: "sig",
        kid: keyId,
        x: encodeBase64Url(decodeHex(publicKey)),
        turnkey_signature_algorithm: "ed25519",
        turnkey_signature_version: "v1",
      },
    ],
  };
}
