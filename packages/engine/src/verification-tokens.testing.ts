import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { TestServer } from "@keyhearth/api/testing";
import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { signP256Raw } from "@keyhearth/crypto/keys/keys";
import {
  createVerificationToken,
  importVerificationKey,
  type VerificationClaims,
  type VerificationKey,
} from "@keyhearth/crypto/tokens/verification-token";
import { readRootKeyFile } from "@keyhearth/signer/root-key/file";
import { readKeyringFile } from "@keyhearth/signer/state/keyring-file";

// Verification tokens as the signer of a test makes them, without a code.

type Claims = Pick<VerificationClaims, "contact" | "organization_id"> & Partial<VerificationClaims>;

/** A token that proves an email address, unless the claims say otherwise. It names no key. */
export function tokenOf({ signer, clock }: TestServer, claims: Claims): string {
  const key = readVerificationKey(signer.stateDirectory);
  return newVerificationToken(key, claims, Date.now() + clock.offsetMs);
}

/** The key with which the signer that has this state signs tokens. */
export function readVerificationKey(stateDirectory: string): VerificationKey {
  const path = (name: string) => join(stateDirectory, name);
  const keyring = readKeyringFile(path("keyring"), readRootKeyFile(path("root-key")));
  return importVerificationKey(keyring.keys.verification);
}

/** A token for an hour, with the defaults of `tokenOf`. */
export function newVerificationToken(key: VerificationKey, claims: Claims, nowMs: number): string {
  return createVerificationToken(
    {
      id: tokenIdAt(nowMs, randomBytes(6).toString("hex")),
      verification_type: "OTP_TYPE_EMAIL",
      public_key: "",
      exp: String(nowMs + 3_600_000),
      ...claims,
    },
    key,
  );
}

/** A UUID version 7 of this time. */
export function tokenIdAt(timeMs: number, last = "0".repeat(12)): string {
  const time = timeMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${last}`;
}

/** What the client signs to sign up with a token. */
export function signupSignature(
  key: { publicKey: string; privateKey: string },
  tokenId: string,
  signupV2: object,
) {
  const message = JSON.stringify({ signupV2, tokenId, type: "USAGE_TYPE_SIGNUP" });
  const signature = encodeHex(signP256Raw(encodeUtf8(message), decodeHex(key.privateKey)));
  const scheme = "CLIENT_SIGNATURE_SCHEME_API_P256" as const;
  return { publicKey: key.publicKey, scheme, message, signature };
}
