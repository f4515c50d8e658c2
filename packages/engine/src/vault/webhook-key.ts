import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { importPrivateKey, type PrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { sha256 } from "@keyhearth/crypto/primitives";
import type { Keyring } from "./keyring.ts";
import { expand } from "./quorum-key.ts";

/** The Ed25519 key that signs deliveries to webhooks. Its id is a digest of the public key. */
export type WebhookKey = { keyId: string; publicKey: Uint8Array; key: PrivateKey };

/** The keyring has a scalar of another curve for this purpose, so the seed is derived from it. */
export function deriveWebhookKey({ keys }: Keyring): WebhookKey {
  const seed = expand(keys.webhook, "keyhearth_webhook_ed25519");
  const publicKey = publicKeyOf("CURVE_ED25519", seed);
  const keyId = encodeHex(sha256(publicKey).slice(0, 16));
  return { keyId, publicKey, key: importPrivateKey("CURVE_ED25519", seed) };
}
