import { decodeUtf8, wipe } from "@keyhearth/crypto/encoding/bytes";
import { splitMnemonicText } from "@keyhearth/crypto/keys/mnemonic-text";
import { formatPrivateKey } from "@keyhearth/crypto/sealing/key-text";
import { readExportBundle } from "@keyhearth/crypto/sealing/open-bundle";
import { openChannel } from "./channel/channel.ts";
import { type Given, idOf, keyFormatOf, textOf } from "./channel/given.ts";
import { metaOf } from "./channel/place.ts";
import { Refusal } from "./channel/refusal.ts";
import { EmbeddedKey } from "./key/embedded-key.ts";
import { keyMessages } from "./key/messages.ts";
import { createSettings } from "./settings/settings.ts";
import { showNoticeIfAlone } from "./shown/notice.ts";
import { createShownSecret, type Secret } from "./shown/shown-secret.ts";

// Shows what was exported to the key of this frame. Nothing of it goes to the embedding page. A key opens one export: the
// next one is announced.

const isAlone = showNoticeIfAlone("export");
const shown = createShownSecret();
const settings = createSettings({ page: "export", areApplied: !isAlone });
const key = new EmbeddedKey("export", (publicKey) => channel.announce(publicKey));

/** Nothing is shown, and the key stays, unless all of it could be read. */
async function inject(given: Given, read: (bytes: Uint8Array) => Secret) {
  const organizationId = idOf(given, "organizationId");
  const signerPublicKey = metaOf("signer-public-key");
  const encrypted = readExportBundle(textOf(given), { signerPublicKey, organizationId });
  const bytes = await key.open(encrypted);
  try {
    const secret = read(bytes);
    await key.renew();
    shown.show(secret);
  } finally {
    wipe(bytes);
  }
  return { type: "BUNDLE_INJECTED", value: true };
}

const channel = openChannel({
  messages: {
    INJECT_KEY_EXPORT_BUNDLE(given) {
      const format = keyFormatOf(given);
      return inject(given, (bytes) => {
        if (bytes.length !== 32) throw new Refusal(noKey);
        const text = formatPrivateKey(bytes, format);
        return {
          kind: "key",
          text: format === "HEXADECIMAL" ? `0x${text}` : text,
          passphrase: "",
        };
      });
    },
    INJECT_WALLET_EXPORT_BUNDLE: (given) => inject(given, readMnemonic),
    ...settings.messages,
    ...keyMessages(key),
  },
  begin: () => key.init(),
});

const noKey =
  "the bundle holds no private key; show the export of a wallet with INJECT_WALLET_EXPORT_BUNDLE";
const noWallet =
  "the bundle holds no recovery phrase; show the export of a private key or an account with INJECT_KEY_EXPORT_BUNDLE";

function readMnemonic(bytes: Uint8Array): Secret {
  try {
    const { mnemonic, passphrase } = splitMnemonicText(decodeUtf8(bytes));
    // A key of 32 bytes can be text by chance, but has no words.
    if (mnemonic.split(/\s/).length >= 12) return { kind: "mnemonic", text: mnemonic, passphrase };
  } catch {
    // Said below, without a part of the text.
  }
  throw new Refusal(noWallet);
}
