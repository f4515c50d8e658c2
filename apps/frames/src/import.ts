import { encodeUtf8, wipe } from "@keyhearth/crypto/encoding/bytes";
import { type KeyFormat, parsePrivateKey } from "@keyhearth/crypto/sealing/key-text";
import { encryptToBundle, openImportBundle } from "@keyhearth/crypto/sealing/open-bundle";
import { openChannel } from "./channel/channel.ts";
import { idOf, keyFormatOf, textOf } from "./channel/given.ts";
import { metaOf } from "./channel/place.ts";
import { Refusal } from "./channel/refusal.ts";
import { createSettings } from "./settings/settings.ts";
import { readFields } from "./shown/fields.ts";
import { showNoticeIfAlone } from "./shown/notice.ts";

// Takes what somebody imports, and hands it to the embedding page encrypted to the signer. The signer's key is for one import.

const isAlone = showNoticeIfAlone("import");
const fields = readFields({ areShown: !isAlone });
const settings = createSettings({
  page: "import",
  areApplied: !isAlone,
  onPassphrase: fields.showPassphrase,
});

/** The key of the signer that the next extract is encrypted to. */
let targetPublic: string | undefined;

/** If the field cannot be encrypted, the target stays for the next try. */
function extract(read: () => Uint8Array) {
  if (targetPublic === undefined) {
    throw new Refusal(
      "this frame has no key to encrypt to; inject an import bundle first, a new one for each import",
    );
  }
  const plaintext = read();
  try {
    const value = encryptToBundle(plaintext, targetPublic);
    targetPublic = undefined;
    return { type: "ENCRYPTED_BUNDLE_EXTRACTED", value };
  } finally {
    wipe(plaintext);
  }
}

openChannel({
  messages: {
    INJECT_IMPORT_BUNDLE(given) {
      const [organizationId, userId] = [idOf(given, "organizationId"), idOf(given, "userId")];
      const bundle = openImportBundle(textOf(given), metaOf("signer-public-key"));
      if (bundle.organizationId !== organizationId) {
        throw new Error("the bundle is for another organization");
      }
      if (bundle.userId !== userId) {
        throw new Refusal(
          "the bundle is for another user than userId; pass the user who requested it",
        );
      }
      targetPublic = bundle.targetPublic;
      return { type: "BUNDLE_INJECTED", value: true };
    },
    EXTRACT_WALLET_ENCRYPTED_BUNDLE: () =>
      extract(() => readWallet(fields.secret(), fields.passphrase())),
    EXTRACT_KEY_ENCRYPTED_BUNDLE(given) {
      const format = keyFormatOf(given);
      return extract(() => readKey(fields.secret(), format));
    },
    ...settings.messages,
    // This page needs no key of its own.
    GET_EMBEDDED_PUBLIC_KEY: () => ({ type: "EMBEDDED_PUBLIC_KEY", value: "" }),
    INIT_EMBEDDED_KEY: () => ({ type: "EMBEDDED_PUBLIC_KEY", value: "" }),
    RESET_EMBEDDED_KEY() {
      targetPublic = undefined;
      return { type: "EMBEDDED_KEY_RESET", value: null };
    },
  },
  begin: async () => "",
});

const SEPARATOR = "\n--PASS--\n";
const LENGTHS = [12, 15, 18, 21, 24];

/** The signer reads the words, in any of their languages. */
function readWallet(mnemonic: string, passphrase: string): Uint8Array {
  if (/[\r\n]/.test(mnemonic) || mnemonic.includes(SEPARATOR.trim())) {
    throw new Refusal(
      "the recovery phrase has more than one line; write all words in one line, and a passphrase in its own field",
    );
  }
  const count = mnemonic.split(/\s+/).length;
  if (!LENGTHS.includes(count)) {
    throw new Refusal(
      `the recovery phrase has ${count} words; it must have ${LENGTHS.slice(0, -1).join(", ")} or ${LENGTHS.at(-1)}`,
    );
  }
  if (/[\r\n]/.test(passphrase)) throw new Refusal("the passphrase must be one line");
  if (!(mnemonic + passphrase).isWellFormed()) {
    throw new Refusal("the recovery phrase or its passphrase has half of a character");
  }
  return encodeUtf8(passphrase === "" ? mnemonic : `${mnemonic}${SEPARATOR}${passphrase}`);
}

const expected: Record<KeyFormat, string> = {
  HEXADECIMAL: "64 hexadecimal digits, with or without 0x",
  SOLANA: "a key pair of 64 bytes in base58, as Solana wallets show it",
  BITCOIN_MAINNET_WIF: "a WIF of Bitcoin's main network that begins with K or L",
  BITCOIN_TESTNET_WIF: "a WIF of Bitcoin's test networks that begins with c",
  SUI_BECH32: "an Ed25519 key that begins with suiprivkey",
};

function readKey(text: string, format: KeyFormat): Uint8Array {
  const privateKey = parsePrivateKey(text, format);
  if (privateKey) return privateKey;
  throw new Refusal(
    `the private key is not in the format ${format}; it must be ${expected[format]}`,
  );
}
