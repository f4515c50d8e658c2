import { InvalidCredential, type Stamper } from "@keyhearth/sdk";
import { indexedDbStorage, memoryStorage } from "@keyhearth/sdk/browser";
import { IndexedDbStamper } from "@keyhearth/sdk/stampers/indexed-db";
import { isId } from "./remembered.ts";

// API keys that people paste or upload. WebCrypto takes the private half as one that nothing can read back.

const NAME = "dashboard-api-key";
const ENTRY = `stamper:${NAME}`;

export type KeptKey = { publicKey: string; organizationId: string };

export type GivenKey = {
  publicKey: string;
  /** Of a key file. A key alone does not say where it belongs. */
  organizationId: string | undefined;
  privateKey: CryptoKey;
};

/** Reads a key file of the command line or of a first start, or the private key alone in hex. */
export async function readApiKey(text: string): Promise<GivenKey> {
  const { apiPrivateKey, apiPublicKey, organizationId } = fieldsOf(text.trim());
  const { decodeHex, encodeHex, encodeBase64Url, wipe } = await import(
    "@keyhearth/crypto/encoding/bytes"
  );
  const keys = await import("@keyhearth/crypto/keys/keys");
  const bytes = decodeHex(apiPrivateKey.toLowerCase());
  try {
    if (!keys.isValidPrivateKey("CURVE_P256", bytes)) throw refused("is no private key of P-256");
    const compressed = keys.publicKeyOf("CURVE_P256", bytes);
    const publicKey = encodeHex(compressed);
    if (apiPublicKey !== undefined && apiPublicKey.toLowerCase() !== publicKey) {
      throw refused(
        "does not fit the public key beside it, so it is on another curve or the file is damaged; the dashboard takes keys of P-256",
      );
    }
    const point = keys.uncompressedPublicKey("CURVE_P256", compressed);
    const jwk = {
      kty: "EC",
      crv: "P-256",
      d: encodeBase64Url(bytes),
      x: encodeBase64Url(point.slice(1, 33)),
      y: encodeBase64Url(point.slice(33)),
    };
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const privateKey = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["sign"]);
    return { publicKey, organizationId, privateKey };
  } finally {
    wipe(bytes);
  }
}

function fieldsOf(text: string) {
  if (/^[0-9a-f]{64}$/i.test(text)) {
    return { apiPrivateKey: text, apiPublicKey: undefined, organizationId: undefined };
  }
  const file = parse(text);
  const field = (name: string) => {
    const value: unknown = Reflect.get(file, name);
    return typeof value === "string" ? value : undefined;
  };
  const [apiPrivateKey = "", apiPublicKey] = [field("apiPrivateKey"), field("apiPublicKey")];
  const organizationId = field("organizationId")?.toLowerCase();
  if (!/^[0-9a-f]{64}$/i.test(apiPrivateKey)) {
    throw refused("has no apiPrivateKey of 64 hexadecimal digits");
  }
  return {
    apiPrivateKey,
    apiPublicKey,
    organizationId:
      organizationId !== undefined && isId(organizationId) ? organizationId : undefined,
  };
}

function parse(text: string): object {
  try {
    const file: unknown = JSON.parse(text);
    if (typeof file === "object" && file !== null) return file;
  } catch {
    // What the parser says would show a part of the key.
  }
  throw refused("is neither a key file in JSON nor a private key of 64 hexadecimal digits");
}

/** Never names what was given: it may be a secret. */
function refused(what: string) {
  return new InvalidCredential(
    `What you gave ${what}. Paste the key file that the command line or the first start wrote, or the private key in hex`,
    { code: "INVALID_CREDENTIAL", field: "key" },
  );
}

/** Stamps with a key. It stays in this browser only if it is to be kept. */
export async function stamperOf(
  key: GivenKey,
  { organizationId, isKept }: { organizationId: string; isKept: boolean },
): Promise<Stamper> {
  const storage = isKept ? indexedDbStorage() : memoryStorage();
  const { publicKey, privateKey } = key;
  await storage.update(ENTRY, () => ({ publicKey, privateKey, organizationId }));
  return IndexedDbStamper.open({ name: NAME, storage });
}

export async function readKeptKey(): Promise<KeptKey | undefined> {
  const kept = await indexedDbStorage().read(ENTRY);
  const organizationId = kept?.organizationId;
  if (!kept || typeof organizationId !== "string" || !isId(organizationId)) return undefined;
  return { publicKey: kept.publicKey, organizationId };
}

export function keptStamper(): Promise<Stamper> {
  return IndexedDbStamper.open({ name: NAME });
}

export async function forgetKeptKey(): Promise<void> {
  await indexedDbStorage().update(ENTRY, () => undefined);
}
