import { importPrivateKey, type PrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import type { Keyring } from "./keyring.ts";
import { expand } from "./quorum-key.ts";

/** The Ed25519 key that signs tokens about people of providers that only speak OAuth 2.0. */
export type Oauth2Key = { publicKey: Uint8Array; key: PrivateKey };

/** It is derived, because keyrings of earlier releases have no key for this purpose. */
export function deriveOauth2Key({ keys }: Keyring): Oauth2Key {
  const seed = expand(keys.verification, "keyhearth_oauth2_token_ed25519");
  const publicKey = publicKeyOf("CURVE_ED25519", seed);
  return { publicKey, key: importPrivateKey("CURVE_ED25519", seed) };
}
