import {
  concatBytes,
  decodeBase64Url,
  decodeUtf8,
  encodeBase64Url,
  encodeUtf8,
} from "../encoding/bytes.ts";
import { canonicalJson } from "../encoding/canonical.ts";
import { openBytes } from "../secret-bytes.ts";
import { hpkeDecrypt, hpkeEncrypt, type Purpose } from "./hpke.ts";

// How messages travel from the signer to the courier, through a host that must not read them: the point of the
// sender, 65 bytes, and the ciphertext, in base64url. What the host sees of a message is bound to it.

const INFO = encodeUtf8("keyhearth_message");
const POINT_LENGTH = 65;

/** What everybody may see of a message. */
export type MessageLabel = { messageId: string; kind: string };

/** Encrypts a text to the courier's P-256 key. Throws "invalid public key". */
export function sealMessage(courierKey: Uint8Array, label: MessageLabel, text: string): string {
  const { encappedPublic, ciphertext } = hpkeEncrypt(
    courierKey,
    encodeUtf8(text),
    undefined,
    purposeOf(label),
  );
  return encodeBase64Url(concatBytes(encappedPublic, ciphertext));
}

/**
 * The text that was sealed under this label. Throws if it was sealed for another key or under another label,
 * or was changed.
 */
export function openMessage(privateKey: Uint8Array, label: MessageLabel, sealed: string): string {
  const bytes = decodeBase64Url(sealed);
  const encappedPublic = bytes.subarray(0, POINT_LENGTH);
  const ciphertext = bytes.subarray(POINT_LENGTH);
  const text = hpkeDecrypt(privateKey, { encappedPublic, ciphertext }, purposeOf(label));
  return decodeUtf8(openBytes(text));
}

function purposeOf({ messageId, kind }: MessageLabel): Purpose {
  return { info: INFO, label: encodeUtf8(canonicalJson({ messageId, kind })) };
}
