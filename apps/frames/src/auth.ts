import { decodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import type { Encrypted } from "@keyhearth/crypto/sealing/hpke";
import { readCredentialBundle } from "@keyhearth/crypto/sealing/open-bundle";
import { type Messages, openChannel } from "./channel/channel.ts";
import { type Given, payloadOf, textOf } from "./channel/given.ts";
import { Refusal } from "./channel/refusal.ts";
import { type Credential, importCredential, stampOf } from "./key/credential.ts";
import { EmbeddedKey } from "./key/embedded-key.ts";
import { keyMessages } from "./key/messages.ts";
import { showNoticeIfAlone } from "./shown/notice.ts";

// Holds the key of a login, and stamps with it whatever the embedding page asks for. The credential is in memory alone: after
// a reload the page injects its bundle again.

showNoticeIfAlone("auth");

const key = new EmbeddedKey("auth", (publicKey) => channel.announce(publicKey));
let credential: Credential | undefined;

async function inject(given: Given) {
  const encrypted = readBundle(textOf(given).trim());
  credential = await importCredential(await key.open(encrypted));
  return { type: "BUNDLE_INJECTED", value: true };
}

const messages: Messages = {
  INJECT_CREDENTIAL_BUNDLE: inject,
  INJECT_RECOVERY_BUNDLE: inject,
  async STAMP_REQUEST(given) {
    const payload = payloadOf(given);
    if (!credential) {
      throw new Refusal("this frame has no credential; inject a credential bundle first");
    }
    if (!payload.isWellFormed()) {
      throw new Refusal("value has half of a character, which has no bytes; pass well-formed text");
    }
    return { type: "STAMP", value: await stampOf(credential, payload) };
  },
  ...keyMessages(key, () => {
    credential = undefined;
  }),
};

const channel = openChannel({
  messages,
  async begin(keyTtl) {
    const publicKey = await key.init();
    await key.setTtl(keyTtl);
    return publicKey;
  },
});

window.addEventListener("pagehide", () => {
  credential = undefined;
});

/** Base58 with a checksum never has these characters. An older form is base64url of the same bytes, without one. */
function readBundle(text: string): Encrypted {
  if (!/[-_OIl0]/.test(text)) return readCredentialBundle(text);
  // 81 bytes are 108 characters.
  if (text.length !== 108) throw new Error("malformed bundle");
  const bytes = decodeBase64Url(text);
  return { encappedPublic: bytes.subarray(0, 33), ciphertext: bytes.subarray(33) };
}
