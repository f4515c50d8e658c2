import { encodeHex, wipe } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf, uncompressedPublicKey } from "@keyhearth/crypto/keys/keys";
import { parseEncrypted } from "@keyhearth/crypto/sealing/bundle";
import { type Encrypted, hpkeDecrypt } from "@keyhearth/crypto/sealing/hpke";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import { ApiError, invalid } from "../errors.ts";
import { isFromFuture } from "../records/future.ts";
import { findUser, type ImportLine, type ImportPurpose } from "../records/organization.ts";
import { randomPrivateKey } from "../vault/secrets.ts";
import type { KeyTools } from "./tools.ts";

// An import takes two steps. The first makes a target key for the user, whose private key never leaves the
// core. The second decrypts what the user encrypted to the target key. No other import can use it then.

const CURVE = "CURVE_P256";

/** How long a target key can be used, by the signer's clock. */
const VALID_MS = 60 * 60 * 1000;

const AT = "parameters.encryptedBundle";

/** The parameters of the second step. */
export type Import = { userId: string; encryptedBundle: string };

/** Nobody starts or completes an import for somebody else, whatever policies say. */
export function assertOwnImport({ user }: KeyTools, { userId }: Pick<Import, "userId">) {
  if (userId === user.userId) return;
  throw new ApiError(
    "PERMISSION_DENIED",
    "REQUEST_NOT_AUTHORIZED",
    `request not authorized: imports must target your own user, but \`parameters.userId\` is \`${userId}\` and your user is \`${user.userId}\``,
    { field: "parameters.userId" },
  );
}

/** Gives the user a new target key in place of an earlier one. Returns the bundle that names it. */
export function openImport(context: KeyTools, purpose: ImportPurpose): string {
  const { organizationId, user, nowMs } = context;
  const privateKey = randomPrivateKey(CURVE, context);
  try {
    const point = uncompressedPublicKey(CURVE, publicKeyOf(CURVE, privateKey));
    const targetPublicKey = encodeHex(point);
    const line: ImportLine = {
      userId: user.userId,
      purpose,
      targetPublicKey,
      sealedKey: context.keys.seal(
        { organizationId, id: targetPublicKey, part: "import" },
        privateKey,
      ),
      expiresAtMs: nowMs + VALID_MS,
    };
    const draft = context.update();
    const kept = draft.imports.filter(
      (each) =>
        each.expiresAtMs > nowMs && findUser(draft, each.userId) && !isOf(each, user, purpose),
    );
    draft.imports = [...kept, line];
    return context.bundles.import(point);
  } finally {
    wipe(privateKey);
  }
}

/** Decrypts an import and hands it to `use`. Afterwards the plaintext is wiped. */
export function withImported<T>(
  context: KeyTools,
  purpose: ImportPurpose,
  { encryptedBundle }: Import,
  use: (plaintext: SecretBytes) => T,
): T {
  const { targetPublicKey, sealedKey } = findOpen(context, purpose);
  const encrypted = parse(encryptedBundle);
  assertLength(encrypted, purpose);
  const owner = { organizationId: context.organizationId, id: targetPublicKey };
  const privateKey = context.keys.unseal({ ...owner, part: "import" }, sealedKey);
  let plaintext: SecretBytes;
  try {
    plaintext = hpkeDecrypt(privateKey, encrypted);
  } catch {
    throw bundleInvalid(
      `cannot be decrypted: it was encrypted to another key than that of your last import bundle in this organization, or it was changed on the way; call ${initOf(purpose)} and encrypt to the key of its bundle`,
    );
  } finally {
    wipe(privateKey);
  }
  try {
    return use(plaintext);
  } finally {
    wipe(plaintext);
  }
}

/** Marks the target key as used, in the commit that stores what was imported. */
export function closeImport(context: KeyTools, purpose: ImportPurpose) {
  const line = context.update().imports.find((each) => isOf(each, context.user, purpose));
  if (line) line.sealedKey = null;
}

/** An error about the encrypted text or what is in it. It never shows a part of the secret. */
export function bundleInvalid(message: string): ApiError {
  return invalid(AT, `invalid encrypted bundle: \`${AT}\` ${message}`, "BUNDLE_INVALID");
}

/** The target key that the user can import to now. */
function findOpen(
  { document, user, nowMs }: KeyTools,
  purpose: ImportPurpose,
): ImportLine & { sealedKey: NonNullable<ImportLine["sealedKey"]> } {
  const line = document.imports.find((each) => isOf(each, user, purpose));
  const again = `call ${initOf(purpose)} and encrypt to the key of its bundle`;
  if (!line) throw notOpen(`there is no target key for this user: ${again}`);
  const { sealedKey, expiresAtMs } = line;
  if (!sealedKey) {
    throw notOpen(`the user's target key was used by an earlier import: ${again}`);
  }
  if (expiresAtMs <= nowMs || isFromFuture({ createdAtMs: expiresAtMs - VALID_MS }, nowMs)) {
    const at = new Date(expiresAtMs).toISOString();
    throw notOpen(`the user's target key expired at ${at}, an hour after it was made: ${again}`);
  }
  return { ...line, sealedKey };
}

function notOpen(message: string): ApiError {
  return invalid(AT, `import not open: ${message}`, "IMPORT_NOT_OPEN");
}

function isOf(line: ImportLine, { userId }: { userId: string }, purpose: ImportPurpose): boolean {
  return line.userId === userId && line.purpose === purpose;
}

function initOf(purpose: ImportPurpose): string {
  return purpose === "wallet" ? "init_import_wallet" : "init_import_private_key";
}

function parse(encryptedBundle: string): Encrypted {
  try {
    return parseEncrypted(encryptedBundle);
  } catch {
    throw bundleInvalid(
      `is not what client libraries make of an import bundle: expected the JSON text {"encappedPublic":"04…","ciphertext":"…"} with lower-case hex and nothing else`,
    );
  }
}

const TAG_LENGTH = 16;
const KEY_LENGTH = 32;
/** Twelve Chinese words, the shortest mnemonic. */
const LEAST_MNEMONIC = 12 * 3 + 11;

/** Everyone sees the length of the plaintext, so it says what is wrong before anything is opened. */
function assertLength({ ciphertext }: Encrypted, purpose: ImportPurpose) {
  const length = ciphertext.length - TAG_LENGTH;
  if (purpose === "wallet" && length < LEAST_MNEMONIC) {
    throw bundleInvalid(
      `holds ${Math.max(length, 0)} bytes, and a mnemonic has at least ${LEAST_MNEMONIC}: the ciphertext was cut short, or something else was encrypted`,
    );
  }
  if (purpose === "private-key" && length !== KEY_LENGTH) {
    throw bundleInvalid(
      `holds ${Math.max(length, 0)} bytes, and a private key has ${KEY_LENGTH}: encrypt the raw bytes, not their text, and for Solana only the first half of the key pair`,
    );
  }
}
