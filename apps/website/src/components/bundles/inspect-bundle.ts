import { withChecksum } from "@keyhearth/crypto/addresses/base58check";
import { decodeBase58 } from "@keyhearth/crypto/encoding/base58";
import { decodeHex, decodeUtf8, encodeHex, equalBytes } from "@keyhearth/crypto/encoding/bytes";
import { decodeDerSignature } from "@keyhearth/crypto/encoding/der";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { compressedPublicKey, isValidPublicKey } from "@keyhearth/crypto/keys/keys";
import { verifyP256Raw } from "@keyhearth/crypto/keys/verify";

/** A bundle by what is inside. Everything here is public: what is encrypted stays encrypted. */
export type Bundle =
  | { kind: "import"; targetPublic: string; organizationId: string; userId: string; signed: Signed }
  | { kind: "export"; encrypted: Encrypted; organizationId: string; signed: Signed }
  | { kind: "code"; targetPublic: string; signed: Signed }
  | { kind: "encrypted"; encrypted: Encrypted }
  | { kind: "login"; encrypted: Encrypted };

export type Encrypted = { encappedPublic: string; ciphertext: string; secretSize: number };

export type Signed = {
  version: string;
  data: string;
  signature: string;
  /** The key that the bundle itself names as its signer's. */
  signer: string;
  verdict: "by the given key" | "by the key it names" | "another signer" | "changed";
};

/** What keeps a text from being a bundle, without words. */
export type BundleFault =
  | { kind: "long"; most: number }
  | { kind: "other" | "truncated" | "checksum" | "twice" | "signature" }
  | { kind: "length"; given: number }
  | { kind: "members"; missing: string[]; unknown: string[] }
  | { kind: "version"; given: string }
  | { kind: "member"; name: string; expected: "hex" | "point" | "id" };

/** The signer's public key, as `describe` and the discovery document show it, or compressed. Null if it is no such key. */
export function readSignerKey(text: string): string | null {
  try {
    const bytes = decodeHex(text.trim().replace(/^0x/, ""));
    const compressed = compressedPublicKey("CURVE_P256", bytes);
    return isValidPublicKey("CURVE_P256", compressed) ? encodeHex(compressed) : null;
  } catch {
    return null;
  }
}

/** Says what a bundle is, for whom, and whether its signature holds. `signer` is a key of `readSignerKey`, or null. */
export function inspectBundle(text: string, signer: string | null): Bundle | BundleFault {
  const trimmed = text.trim().replace(/^(["'])(.*)\1$/s, "$2");
  if (trimmed.length > MOST) return { kind: "long", most: MOST };
  if (trimmed.startsWith("{")) return inspectJson(trimmed, signer);
  return /^[1-9A-HJ-NP-Za-km-z]{20,}$/.test(trimmed) ? inspectLogin(trimmed) : { kind: "other" };
}

export function isBundle(inspected: Bundle | BundleFault): inspected is Bundle {
  return BUNDLES.includes(inspected.kind);
}

const BUNDLES: readonly string[] = ["import", "export", "code", "encrypted", "login"];

function inspectLogin(text: string): Bundle | BundleFault {
  if (text.length > 120) return { kind: "length", given: text.length };
  const bytes = decodeBase58(text);
  if (!equalBytes(bytes, withChecksum(bytes.subarray(0, -4)))) return { kind: "checksum" };
  if (bytes.length !== 85) return { kind: "length", given: text.length };
  const encappedPublic = encodeHex(bytes.subarray(0, 33));
  if (!isPoint(encappedPublic))
    return { kind: "member", name: "encappedPublic", expected: "point" };
  const ciphertext = encodeHex(bytes.subarray(33, -4));
  return { kind: "login", encrypted: encryptedOf(encappedPublic, ciphertext) };
}

function inspectJson(text: string, signer: string | null): Bundle | BundleFault {
  const outer = membersOf(text);
  if ("kind" in outer) return outer;
  if ("encappedPublic" in outer.members) {
    const encrypted = encryptedIn(outer.members, ["encappedPublic", "ciphertext"]);
    return "kind" in encrypted ? encrypted : { kind: "encrypted", encrypted };
  }
  const fault = faultOfMembers(outer.members, SIGNED);
  if (fault) return fault;
  const { version, data, dataSignature, enclaveQuorumPublic } = outer.members;
  if (version !== "v1.0.0") return { kind: "version", given: String(version) };
  if (!isHex(data)) return { kind: "member", name: "data", expected: "hex" };
  if (!isHex(dataSignature)) return { kind: "member", name: "dataSignature", expected: "hex" };
  if (!isPoint(enclaveQuorumPublic)) {
    return { kind: "member", name: "enclaveQuorumPublic", expected: "point" };
  }
  const verdict = verdictOf(
    { data, signature: dataSignature, signer: enclaveQuorumPublic },
    signer,
  );
  if (verdict === "malformed") return { kind: "signature" };
  const signed = { version, data, signature: dataSignature, signer: enclaveQuorumPublic, verdict };
  return inspectData(data, signed);
}

/** Shown in any case, so that a reader sees what a bundle with a wrong signature says. */
function inspectData(data: string, signed: Signed): Bundle | BundleFault {
  let json: string;
  try {
    json = decodeUtf8(decodeHex(data));
  } catch {
    return { kind: "member", name: "data", expected: "hex" };
  }
  const inner = membersOf(json);
  if ("kind" in inner) return inner;
  const { members } = inner;
  if ("encappedPublic" in members || "ciphertext" in members) {
    const encrypted = encryptedIn(members, ["encappedPublic", "ciphertext", "organizationId"]);
    if ("kind" in encrypted) return encrypted;
    const { organizationId } = members;
    if (!isId(organizationId)) return { kind: "member", name: "organizationId", expected: "id" };
    return { kind: "export", encrypted, organizationId, signed };
  }
  const isCode = !("organizationId" in members) && !("userId" in members);
  const names = isCode ? ["targetPublic"] : ["targetPublic", "organizationId", "userId"];
  const fault = faultOfMembers(members, names);
  if (fault) return fault;
  const { targetPublic, organizationId, userId } = members;
  if (!isPoint(targetPublic)) return { kind: "member", name: "targetPublic", expected: "point" };
  if (isCode) return { kind: "code", targetPublic, signed };
  if (!isId(organizationId)) return { kind: "member", name: "organizationId", expected: "id" };
  if (!isId(userId)) return { kind: "member", name: "userId", expected: "id" };
  return { kind: "import", targetPublic, organizationId, userId, signed };
}

function verdictOf(
  { data, signature, signer }: Pick<Signed, "data" | "signature" | "signer">,
  given: string | null,
): Signed["verdict"] | "malformed" {
  let raw: Uint8Array;
  try {
    raw = decodeDerSignature(decodeHex(signature));
  } catch {
    return "malformed";
  }
  const named = compressedPublicKey("CURVE_P256", decodeHex(signer));
  if (!verifyP256Raw(named, decodeHex(data), raw)) return "changed";
  if (given === null) return "by the key it names";
  return given === encodeHex(named) ? "by the given key" : "another signer";
}

function membersOf(text: string): { members: Record<string, unknown> } | BundleFault {
  try {
    const value = parseStrictJson(text, { maxDepth: 1 });
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { members: { ...value } };
    }
    return { kind: "other" };
  } catch {
    return isJson(text) ? { kind: "twice" } : { kind: "truncated" };
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function faultOfMembers(given: object, expected: readonly string[]): BundleFault | null {
  const missing = expected.filter((name) => !Object.hasOwn(given, name));
  const unknown = Object.keys(given).filter((name) => !expected.includes(name));
  return missing.length + unknown.length > 0 ? { kind: "members", missing, unknown } : null;
}

function encryptedIn(
  members: Record<string, unknown>,
  names: readonly string[],
): Encrypted | BundleFault {
  const fault = faultOfMembers(members, names);
  if (fault) return fault;
  const { encappedPublic, ciphertext } = members;
  if (!isPoint(encappedPublic))
    return { kind: "member", name: "encappedPublic", expected: "point" };
  if (!isHex(ciphertext)) return { kind: "member", name: "ciphertext", expected: "hex" };
  // The tag alone has 16 bytes.
  if (ciphertext.length <= 32) return { kind: "truncated" };
  return encryptedOf(encappedPublic, ciphertext);
}

function encryptedOf(encappedPublic: string, ciphertext: string): Encrypted {
  return { encappedPublic, ciphertext, secretSize: ciphertext.length / 2 - 16 };
}

function isHex(value: unknown): value is string {
  return typeof value === "string" && /^([0-9a-f]{2})+$/i.test(value);
}

function isPoint(value: unknown): value is string {
  return isHex(value) && readSignerKey(value) !== null;
}

function isId(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}

/** More than a bundle of 24 long words with a passphrase has. */
const MOST = 16_384;

const SIGNED = ["version", "data", "dataSignature", "enclaveQuorumPublic"];
