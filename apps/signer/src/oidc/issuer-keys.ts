import { decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { guardedRequest } from "@keyhearth/outbound/guarded-request";
import { OutboundError } from "@keyhearth/outbound/outbound-error";
import type { JWK } from "jose";
import { type Issuer, MAX_DOCUMENT_BYTES, readKeysFile } from "./issuers.ts";

/** The keys that sign an issuer's tokens, fetched by the signer itself and kept for a while. */
export type IssuerKeys = {
  /** The keys that may have signed a token with this header. Throws `KeysError` if there are none. */
  find(header: KeyHint): Promise<CryptoKey[]>;
};

/** What a token says about its key. It chooses among the issuer's keys, and adds none. */
export type KeyHint = { alg: string; kid: string | undefined };

/** The message is for the client. */
export class KeysError extends Error {}

/** After this the keys are fetched again before they are used, so that a key that was taken back ends. */
const FRESH_MS = 60 * 60_000;
/** If the issuer cannot be reached, its keys count for this long. */
const USABLE_MS = 6 * FRESH_MS;
/** Between two attempts, whatever tokens say. */
const RETRY_MS = 60_000;
/** For each of the two documents. */
const TIMEOUT_MS = 4000;
const MAX_KEYS = 100;
/** Keys with one name, or without a name, that are tried for one token. */
const MAX_CANDIDATES = 4;

type Kept = { keys: JWK[]; atMs: number };

export function createIssuerKeys(
  issuer: Issuer,
  {
    now = () => performance.now(),
    fetchKeys = fetchIssuerKeys,
  }: { now?: () => number; fetchKeys?: (issuer: Issuer) => Promise<string> } = {},
): IssuerKeys {
  const imported = new WeakMap<JWK, Map<string, Promise<CryptoKey>>>();
  let kept: Kept | null = null;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let failure = "";
  let underWay: Promise<void> | null = null;

  /** All who wait for the keys share one attempt, and failures count for a while too. */
  async function refresh() {
    if (now() - triedAtMs < RETRY_MS && !underWay) return;
    underWay ??= attempt().finally(() => {
      underWay = null;
    });
    await underWay;
  }

  async function attempt() {
    triedAtMs = now();
    try {
      kept = { keys: parseKeys(await fetchKeys(issuer)), atMs: now() };
      failure = "";
    } catch (error) {
      failure = reasonOf(error);
    }
  }

  function importKey(jwk: JWK, alg: string): Promise<CryptoKey> {
    let byAlgorithm = imported.get(jwk);
    if (!byAlgorithm) {
      byAlgorithm = new Map();
      imported.set(jwk, byAlgorithm);
    }
    const key = byAlgorithm.get(alg) ?? importPublicKey(jwk, alg);
    byAlgorithm.set(alg, key);
    return key;
  }

  const ageMs = () => (kept ? now() - kept.atMs : Number.POSITIVE_INFINITY);

  return {
    async find(hint) {
      if (ageMs() >= FRESH_MS) await refresh();
      let candidates = candidatesAmong(kept, hint);
      // A new name means that the issuer has changed its keys.
      if (candidates.length === 0 && ageMs() < FRESH_MS) {
        await refresh();
        candidates = candidatesAmong(kept, hint);
      }
      if (ageMs() >= USABLE_MS) {
        throw new KeysError(
          `the keys of its issuer ${issuer.issuer} are not available now (${failure}); try again in a minute`,
        );
      }
      if (candidates.length === 0) throw new KeysError("it is not signed with a key of its issuer");
      const found = await Promise.allSettled(candidates.map((jwk) => importKey(jwk, hint.alg)));
      return found.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    },
  };
}

async function importPublicKey(jwk: JWK, alg: string): Promise<CryptoKey> {
  const { importJWK } = await import("jose");
  // Only a symmetric key would be bytes, and `mayVerify` has left those out.
  return (await importJWK(jwk, alg)) as CryptoKey;
}

function candidatesAmong(kept: Kept | null, { alg, kid }: KeyHint): JWK[] {
  const fitting = (kept?.keys ?? []).filter((jwk) => mayVerify(jwk, alg));
  return fitting.filter((jwk) => kid === undefined || jwk.kid === kid).slice(0, MAX_CANDIDATES);
}

/** Whether a key is of the kind, and on the curve, that the algorithm needs. */
function mayVerify({ kty, crv, alg, use, key_ops }: JWK, asked: string): boolean {
  if (alg !== undefined && alg !== asked) return false;
  if (use !== undefined && use !== "sig") return false;
  if (Array.isArray(key_ops) && !key_ops.includes("verify")) return false;
  switch (asked) {
    case "ES256":
      return kty === "EC" && crv === "P-256";
    case "ES384":
      return kty === "EC" && crv === "P-384";
    case "ES512":
      return kty === "EC" && crv === "P-521";
    case "EdDSA":
    case "Ed25519":
      return kty === "OKP" && crv === "Ed25519";
    default:
      return /^[RP]S(256|384|512)$/.test(asked) && kty === "RSA";
  }
}

function parseKeys(text: string): JWK[] {
  const { keys } = parseObject(text);
  if (!Array.isArray(keys)) throw new KeysError("its keys have another form");
  // The public members only: nothing of what else a document may contain is kept.
  const found = keys
    .filter((key): key is Record<string, unknown> => typeof key === "object" && key !== null)
    .map(({ kty, kid, alg, use, key_ops, crv, x, y, n, e }) => {
      return { kty, kid, alg, use, key_ops, crv, x, y, n, e } as JWK;
    });
  if (found.length > MAX_KEYS) throw new KeysError(`it has more than ${MAX_KEYS} keys`);
  return found;
}

/** The issuer's key set, found by its discovery document. Both are requested again each time. */
async function fetchIssuerKeys({ issuer, discoveryUrl, keysFile, isPrivate }: Issuer) {
  if (keysFile !== null) return readKeysFile(keysFile);
  // Only the place that the operator named may be private, wherever the discovery document points.
  const allowPrivate = isPrivate ? [placeOf(issuer)] : [];
  const document = parseObject(await get(discoveryUrl, allowPrivate));
  // OpenID Connect Discovery 1.0, section 4.3.
  if (document.issuer !== issuer) {
    throw new KeysError("its discovery document is that of another issuer");
  }
  if (typeof document.jwks_uri !== "string") {
    throw new KeysError("its discovery document has no jwks_uri");
  }
  return get(document.jwks_uri, allowPrivate);
}

async function get(url: string, allowPrivate: string[]): Promise<string> {
  const { status, body } = await guardedRequest(url, {
    headers: { accept: "application/json" },
    maxBytes: MAX_DOCUMENT_BYTES,
    timeoutMs: TIMEOUT_MS,
    allowPrivate,
    isHttpsRequired: true,
  });
  if (status !== 200) throw new KeysError(`it answered with status ${status}`);
  return decodeUtf8(body);
}

function placeOf(issuer: string): string {
  const { hostname, port, protocol } = new URL(issuer);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

function parseObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null) throw new KeysError("a document is not JSON");
  return value as Record<string, unknown>;
}

/** Short, and without anything that a document or the network said. */
function reasonOf(error: unknown): string {
  if (error instanceof KeysError || error instanceof OutboundError) return error.message;
  return error instanceof SyntaxError ? "a document is not JSON" : "a document cannot be read";
}
