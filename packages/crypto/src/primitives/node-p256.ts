import { createECDH, createHmac, createSecretKey, hash } from "node:crypto";
import { p256 } from "@noble/curves/nist";
import { wipe } from "../encoding/bytes.ts";
import { assertCurve, assertDigest, assertPrivateKey, type PrivateKey, parity } from "./checks.ts";
import { bigIntOf } from "./shared.ts";

const { Fn } = p256.Point;

// ECDSA with P-256, deterministic (RFC 6979), as the portable twin has it. OpenSSL multiplies the point, which is most of
// the work; `node:crypto` has no deterministic signatures and no recovery of the key.

type Signature = { signature: Uint8Array; recovery: 0 | 1 };

/** Over a digest, with a low s. */
export function signP256Digest(privateKey: Uint8Array, digest: Uint8Array): Signature {
  assertPrivateKey("CURVE_P256", privateKey);
  assertDigest(digest);
  return signDigest(privateKey, digest, true);
}

/** Over SHA-256. Returns r || s; s may be high. */
export function signP256Deterministically(privateKey: PrivateKey, message: Uint8Array): Uint8Array {
  assertCurve(privateKey, "CURVE_P256");
  return signDigest(privateKey.bytes, hash("sha256", message, "buffer"), false).signature;
}

function signDigest(privateKey: Uint8Array, digest: Uint8Array, isLow: boolean): Signature {
  const d = bigIntOf(privateKey);
  const z = Fn.create(bigIntOf(digest));
  const nonces = createNonces(privateKey, z);
  for (;;) {
    const nonce = nonces.next();
    const signature = signWith(nonce, { d, z, isLow });
    wipe(nonce);
    if (!signature) continue;
    nonces.end();
    return signature;
  }
}

/** Null if the nonce cannot be used. */
function signWith(
  nonce: Uint8Array,
  { d, z, isLow }: { d: bigint; z: bigint; isLow: boolean },
): Signature | null {
  const k = bigIntOf(nonce);
  if (!Fn.isValidNot0(k)) return null;
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(nonce);
  const point = ecdh.getPublicKey();
  const x = bigIntOf(point.subarray(1, 33));
  const r = Fn.create(x);
  const s = Fn.mul(Fn.inv(k), Fn.create(z + r * d));
  if (r === 0n || s === 0n) return null;
  const isNegated = isLow && s > Fn.ORDER >> 1n;
  const isOdd = ((point[64] ?? 0) & 1) === 1;
  const signature = new Uint8Array(64);
  signature.set(Fn.toBytes(r));
  signature.set(Fn.toBytes(isNegated ? Fn.neg(s) : s), 32);
  return { signature, recovery: parity((x === r ? 0 : 2) + Number(isOdd !== isNegated)) };
}

/** The nonces of RFC 6979, section 3.2, with SHA-256, of which nearly always the first is used. */
function createNonces(privateKey: Uint8Array, z: bigint) {
  let key = new Uint8Array(32);
  let value = new Uint8Array(32).fill(1);
  const seed = [privateKey, Fn.toBytes(z)];
  const renew = (mark: number, parts: Uint8Array[]) => {
    const old = [key, value];
    key = hmac(key, [value, Uint8Array.of(mark), ...parts]);
    value = hmac(key, [value]);
    for (const each of old) wipe(each);
  };
  renew(0, seed);
  renew(1, seed);
  let isFirst = true;
  return {
    next(): Uint8Array {
      if (!isFirst) renew(0, []);
      isFirst = false;
      value = hmac(key, [value]);
      return value.slice();
    },
    end() {
      wipe(key);
      wipe(value);
    },
  };
}

function hmac(key: Uint8Array, parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const mac = createHmac("sha256", createSecretKey(key));
  for (const part of parts) mac.update(part);
  return new Uint8Array(mac.digest());
}
