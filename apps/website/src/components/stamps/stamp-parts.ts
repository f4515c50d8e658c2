import { PortableApiKeyStamper } from "@keyhearth/sdk/stampers/api-key-portable";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import vectors from "./vectors.json" with { type: "json" };

export type StampParts = { digest: string; publicKey: string; signature: string; header: string };

/** A stamp over the body with the published test key of a scheme, and what it is made of. */
export async function stampParts(scheme: string, body: string): Promise<StampParts | undefined> {
  const key = vectors.vectors.find((vector) => vector.scheme === scheme);
  if (!key) return undefined;
  const { apiPublicKey, apiPrivateKey } = key;
  const options = { apiPublicKey, apiPrivateKey };
  // The vectors' test takes every one of their schemes, and the stamper refuses others.
  const known = scheme as NonNullable<
    ConstructorParameters<typeof PortableApiKeyStamper>[0]["scheme"]
  >;
  const { value } = await new PortableApiKeyStamper({ ...options, scheme: known }).stamp(body);
  const { signature } = JSON.parse(atob(value.replaceAll("-", "+").replaceAll("_", "/")));
  return {
    digest: bytesToHex(sha256(utf8ToBytes(body))),
    publicKey: apiPublicKey,
    signature: String(signature),
    header: value,
  };
}
