import { decodeHex, encodeHex, encodeUtf8, wipe } from "@keyhearth/crypto/encoding/bytes";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { signEd25519, signSecp256k1 } from "@keyhearth/crypto/keys/keys";
import {
  type HeldKey,
  openWithHeldKey,
  readExportBundle,
} from "@keyhearth/crypto/sealing/open-bundle";
import { eip191Digest } from "@keyhearth/crypto/stamps/stamp";
import {
  decodeEthereumTransaction,
  encodeSignedTransaction,
  ethereumSigningDigest,
} from "@keyhearth/crypto/transactions/ethereum";
import { MalformedError } from "@keyhearth/crypto/transactions/malformed";
import {
  decodeSolanaTransaction,
  encodeSignedSolanaTransaction,
  solanaMessage,
} from "@keyhearth/crypto/transactions/solana";
import { openChannel } from "./channel/channel.ts";
import { addressOf, type Given, idOf, keyFormatOf, payloadOf, textOf } from "./channel/given.ts";
import { metaOf } from "./channel/place.ts";
import { Refusal } from "./channel/refusal.ts";
import { EmbeddedKey } from "./key/embedded-key.ts";
import { keyMessages } from "./key/messages.ts";
import { agree, importP256 } from "./key/p256.ts";
import { createSigningKeys, type SigningChain, type SigningKey } from "./key/signing-keys.ts";
import { showNoticeIfAlone } from "./shown/notice.ts";

// Keeps exported keys in memory and signs with them whatever the embedding page asks for. It shows nothing.

showNoticeIfAlone("sign");

const key = new EmbeddedKey("export-and-sign", (publicKey) => channel.announce(publicKey));
const keys = createSigningKeys();
/** What bundles are opened with instead of the embedded key. */
let override: HeldKey | undefined;

function open(given: Given, organizationId: string): Promise<Uint8Array> {
  const signerPublicKey = metaOf("signer-public-key");
  const encrypted = readExportBundle(textOf(given), { signerPublicKey, organizationId });
  return override ? openWithHeldKey(encrypted, override) : key.open(encrypted);
}

const channel = openChannel({
  messages: {
    async INJECT_KEY_EXPORT_BUNDLE(given) {
      const [organizationId, address] = [idOf(given, "organizationId"), addressOf(given)];
      const chain = chainOf(keyFormatOf(given));
      const bytes = await open(given, organizationId);
      try {
        keys.add(bytes, chain, address);
      } catch (error) {
        wipe(bytes);
        throw error;
      }
      return { type: "BUNDLE_INJECTED", value: true };
    },
    SIGN_TRANSACTION(given) {
      const { text, chain } = parseSignable(payloadOf(given), "transaction");
      const value = signTransaction(keys.get(addressOf(given), chain), text);
      return { type: "TRANSACTION_SIGNED", value };
    },
    SIGN_MESSAGE(given) {
      const { text, chain } = parseSignable(payloadOf(given), "message");
      const value = signMessage(keys.get(addressOf(given), chain), text);
      return { type: "MESSAGE_SIGNED", value };
    },
    CLEAR_EMBEDDED_PRIVATE_KEY(given) {
      keys.clear(addressOf(given));
      return { type: "EMBEDDED_PRIVATE_KEY_CLEARED", value: true };
    },
    async SET_EMBEDDED_KEY_OVERRIDE(given) {
      const bytes = await open(given, idOf(given, "organizationId"));
      const { point, privateKey } = await importP256(bytes, { name: "ECDH", usage: "deriveBits" });
      override = { publicKey: point, agree: (other) => agree(privateKey, other) };
      return { type: "EMBEDDED_KEY_OVERRIDE_SET", value: true };
    },
    RESET_TO_DEFAULT_EMBEDDED_KEY() {
      override = undefined;
      return { type: "RESET_TO_DEFAULT_EMBEDDED_KEY", value: true };
    },
    ...keyMessages(key, () => {
      override = undefined;
      keys.clear(undefined);
    }),
    async GET_EMBEDDED_PUBLIC_KEY() {
      const value = override ? encodeHex(override.publicKey) : await key.get();
      return { type: "EMBEDDED_PUBLIC_KEY", value };
    },
  },
  begin: () => key.init(),
});

window.addEventListener("pagehide", () => {
  override = undefined;
});

function chainOf(format: string): SigningChain {
  if (format === "HEXADECIMAL") return "ETHEREUM";
  if (format === "SOLANA") return "SOLANA";
  throw new Refusal(
    "this page signs for Ethereum and Solana alone; keyFormat must be HEXADECIMAL or SOLANA",
  );
}

function parseSignable(text: string, name: "transaction" | "message") {
  let given: unknown;
  try {
    given = parseStrictJson(text, { maxDepth: 1 });
  } catch {
    given = undefined;
  }
  const { [name]: content, type, ...others } = Object(given);
  const isChain = type === "ETHEREUM" || type === "SOLANA";
  if (typeof content !== "string" || !isChain || Object.keys(others).length > 0) {
    throw new Refusal(
      `value must be the JSON of an object with ${name}, a text, and type, ETHEREUM or SOLANA`,
    );
  }
  return { text: content, chain: type satisfies SigningChain };
}

function signTransaction({ chain, bytes, publicKey }: SigningKey, text: string): string {
  const hex = text.replace(/^0x/, "");
  if (!/^([0-9a-fA-F]{2})+$/.test(hex)) {
    throw new Refusal("the transaction must be hexadecimal digits of its serialization");
  }
  try {
    if (chain === "SOLANA") {
      const transaction = decodeSolanaTransaction(decodeHex(hex));
      const signature = signEd25519(solanaMessage(transaction), bytes);
      return encodeHex(encodeSignedSolanaTransaction(transaction, publicKey, signature));
    }
    const transaction = decodeEthereumTransaction(decodeHex(hex));
    const signature = signSecp256k1(ethereumSigningDigest(transaction), bytes);
    return `0x${encodeHex(encodeSignedTransaction(transaction, signature))}`;
  } catch (error) {
    // It says where and why, and quotes a few bytes of what is to be signed at most.
    if (error instanceof MalformedError) throw new Refusal(error.message);
    throw error;
  }
}

function signMessage({ chain, bytes }: SigningKey, text: string): string {
  if (!text.isWellFormed()) {
    throw new Refusal("the message has half of a character, which has no bytes");
  }
  const message = encodeUtf8(text);
  if (chain === "SOLANA") return encodeHex(signEd25519(message, bytes));
  const { r, s, recovery } = signSecp256k1(eip191Digest(message), bytes);
  return `0x${encodeHex(r)}${encodeHex(s)}${encodeHex(Uint8Array.of(27 + recovery))}`;
}
