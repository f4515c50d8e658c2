import { encodeBase64Url, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { encodeDerSignature } from "@keyhearth/crypto/encoding/der";
import type { Stamper } from "../connection/request.ts";
import { type P256Key, signP256 } from "../stampers/p256-key.ts";

/** Stamps a login with a key that nobody registered, and the token that was made for this key. */
export function attestedStamper(
  key: P256Key,
  token: string,
  kind: "OIDC" | "VERIFICATION_TOKEN",
): Stamper {
  return {
    async stamp(body) {
      const stamp = {
        publicKeyAttestation: token,
        scheme: `STAMP_ATTESTED_SCHEME_P256_${kind}`,
        publicKey: key.publicKey,
        signature: encodeHex(encodeDerSignature(await signP256(key, body))),
      };
      const value = encodeBase64Url(encodeUtf8(JSON.stringify(stamp)));
      return { name: "X-Stamp-Attested", value };
    },
  };
}
