import { validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeUtf8, encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import { generatePrivateKey, publicKeyOf, uncompressedPublicKey } from "../keys/keys.ts";
import { entropyToMnemonic, mnemonicLanguages, parseMnemonic } from "../keys/mnemonic.ts";
import { formatMnemonicText, splitMnemonicText } from "../keys/mnemonic-text.ts";
import { openBytes } from "../secret-bytes.ts";
import {
  createCredentialBundle,
  createExportBundle,
  createImportBundle,
  decryptBundle,
  parseEncrypted,
} from "./bundle.ts";
import {
  encryptToBundle,
  openCredentialBundle,
  openExportBundle,
  openImportBundle,
} from "./open-bundle.ts";

// Samples with changes, for a given time. Each is refused with our error, or read as it was meant. If
// one fails, fast-check prints the seed and the smallest input.

const isLong = process.env.KEYHEARTH_LONG === "1";
const DURATION_MS = isLong ? 300_000 : 2_000;
const timeout = DURATION_MS + 30_000;
const endless = {
  numRuns: Number.MAX_SAFE_INTEGER,
  interruptAfterTimeLimit: DURATION_MS,
  markInterruptAsFailure: false,
};

const place = fc.nat({ max: 1000 });
const character = fc.oneof(
  fc.constantFrom(...' \n\r\t\u3000\u00a0\u0301"\\{}[]:,0f04zZ\0\ufeff\ud800'),
  fc.string({ unit: "binary", minLength: 1, maxLength: 2 }),
);
const change = fc.oneof(
  fc.record({ kind: fc.constant("replace" as const), at: place, text: character }),
  fc.record({ kind: fc.constant("insert" as const), at: place, text: character }),
  fc.record({ kind: fc.constant("remove" as const), at: place, count: fc.nat({ max: 40 }) }),
  fc.record({ kind: fc.constant("copy" as const), at: place, from: place, count: fc.nat(64) }),
);
const changes = fc.array(change, { maxLength: 3 });

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function apply(text: string, change: Change): string {
  const indexOf = (thousandth: number) => Math.floor((thousandth * text.length) / 1001);
  const at = indexOf(change.at);
  const [head, tail] = [text.slice(0, at), text.slice(at)];
  switch (change.kind) {
    case "replace":
      return head + change.text + tail.slice(1);
    case "insert":
      return head + change.text + tail;
    case "remove":
      return head + tail.slice(change.count);
    case "copy":
      return head + text.slice(indexOf(change.from)).slice(0, change.count) + tail;
  }
}

/** The result of `read`, or undefined if it refuses the text with one of our messages. */
function tryTo<T>(refusal: RegExp, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toMatch(refusal);
    return undefined;
  }
}

const ids = {
  organizationId: "11111111-2222-4333-8444-555555555555",
  userId: "66666666-7777-4888-8999-aaaaaaaaaaaa",
};

const bundleRefusal =
  /^(malformed (bundle|hex|utf-8|base58|text|signature)|invalid (public key|signature)|decryption failed|the bundle('s signature is invalid| is (for another organization|signed by another signer than the pinned one)))/;

test("bundles are read as they were made, or refused", { timeout }, () => {
  const signerKey = generatePrivateKey("CURVE_P256");
  const signerPublicKey = encodeHex(pointOf(signerKey));
  const target = generatePrivateKey("CURVE_P256");
  const targetPublicKey = pointOf(target);
  const secret = encodeUtf8("a secret of some length");
  const importBundle = createImportBundle({ ...ids, targetPublicKey }, signerKey);
  const exportBundle = createExportBundle(secret, { ...ids, targetPublicKey }, signerKey);
  const { organizationId } = ids;
  const pinned = { signerPublicKey, organizationId };
  const readers: [sample: string, read: (text: string) => unknown, expected: unknown][] = [
    [
      importBundle,
      (text) => openImportBundle(text, signerPublicKey),
      { ...ids, targetPublic: encodeHex(targetPublicKey) },
    ],
    [exportBundle, (text) => openExportBundle(text, pinned, target), secret],
    [
      encryptToBundle(secret, encodeHex(targetPublicKey)),
      (text) => {
        const { encappedPublic, ciphertext } = parseEncrypted(text);
        expect([encappedPublic.length, ciphertext.length > 0]).toEqual([65, true]);
        return openBytes(decryptBundle(text, target));
      },
      secret,
    ],
    [
      createCredentialBundle(new Uint8Array(32).fill(7), targetPublicKey),
      (text) => openCredentialBundle(text, target),
      new Uint8Array(32).fill(7),
    ],
  ];
  let refused = 0;
  fc.assert(
    fc.property(fc.constantFrom(...readers), changes, ([sample, read, expected], made) => {
      const text = made.reduce(apply, sample);
      const value = tryTo(bundleRefusal, () => read(text));
      if (value === undefined) refused++;
      else expect(value).toEqual(expected);
    }),
    endless,
  );
  expect(refused).toBeGreaterThan(100);
});

const entropy = fc
  .constantFrom(16, 20, 24, 28, 32)
  .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));

test("mnemonics are read as they were written, or refused without a word", { timeout }, () => {
  const outcomes = { read: 0, refused: 0 };
  const passphrase = fc.oneof(fc.constant(""), fc.string({ unit: "binary", maxLength: 12 }));
  fc.assert(
    fc.property(
      entropy,
      fc.constantFrom(...mnemonicLanguages),
      passphrase,
      changes,
      (bytes, language, phrase, made) => {
        const written = formatOf(entropyToMnemonic(bytes, language), phrase);
        const text = made.reduce(apply, written);
        // Lone surrogates have no encoding, so they cannot arrive.
        if (!text.isWellFormed()) return;
        const arrived = decodeUtf8(encodeUtf8(text));
        const read = tryTo(/^invalid mnemonic: [^`"]{10,140}$/, () => {
          const split = splitMnemonicText(arrived);
          return { ...parseMnemonic(split.mnemonic), split };
        });
        if (!read) {
          outcomes.refused++;
          return;
        }
        outcomes.read++;
        const again = entropyToMnemonic(read.entropy, read.language);
        expect(again.normalize("NFKD")).toBe(read.split.mnemonic.normalize("NFKD"));
        expect(formatMnemonicText(again, read.split.passphrase)).toBe(
          read.split.passphrase === "" ? again : `${again}\n${read.split.passphrase}`,
        );
        if (made.length === 0) expect(read.split.passphrase).toBe(lineOf(phrase));
      },
    ),
    endless,
  );
  expect(outcomes.read).toBeGreaterThan(20);
  expect(outcomes.refused).toBeGreaterThan(20);
});

test("an English mnemonic is valid exactly if the library says so", () => {
  fc.assert(
    fc.property(entropy, changes, (bytes, made) => {
      const text = made.reduce(apply, entropyToMnemonic(bytes));
      const read = tryTo(/^invalid mnemonic/, () => parseMnemonic(text));
      if (read?.language !== "ENGLISH") return;
      expect(validateMnemonic(text.normalize("NFKD"), wordlist)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

function pointOf(privateKey: Uint8Array): Uint8Array {
  return uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", privateKey));
}

/** A passphrase is one line, and UTF-8 has no lone surrogates. */
function lineOf(phrase: string): string {
  return phrase.toWellFormed().replace(/[\r\n]/g, "");
}

function formatOf(mnemonic: string, phrase: string): string {
  return formatMnemonicText(mnemonic, lineOf(phrase));
}
