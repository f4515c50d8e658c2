import { keccak256 } from "#primitives";
import { concatBytes } from "../encoding/bytes.ts";
import { addressOf, integerOf } from "./ethereum-json.ts";
import { objectWith, parseJson } from "./json-members.ts";
import { MalformedError } from "./malformed.ts";
import { encodeInteger, encodeRlp } from "./rlp.ts";

/**
 * What an account signs to take on the code of `address` (EIP-7702) while its nonce is `nonce`. A
 * `chainId` of 0 means every chain. The zero address removes the code again.
 */
export type Authorization = {
  readonly chainId: bigint;
  readonly address: Uint8Array;
  readonly nonce: bigint;
};

/**
 * Parses JSON with exactly the members `chainId`, `address` and `nonce`. Integers are written as in
 * typed data. Throws a `MalformedError` that names the place.
 */
export function parseAuthorization(json: string): Authorization {
  const subject = "authorization";
  const parsed = parseJson(json, { subject, maxLength: 1000, maxDepth: 4 });
  const parts = objectWith(parsed, ["chainId", "address", "nonce"], subject);
  const nonce = integerOf(parts.nonce, { bits: 64, isSigned: false }, `${subject}, nonce`);
  // EIP-2681: no nonce can follow this one. EIP-7702 skips such an authorization.
  if (nonce === 2n ** 64n - 1n) {
    throw new MalformedError(`${subject}, nonce: must be below 2^64 - 1`);
  }
  return {
    chainId: integerOf(parts.chainId, { bits: 256, isSigned: false }, `${subject}, chainId`),
    address: addressOf(parts.address, `${subject}, address`),
    nonce,
  };
}

/** The digest to sign: keccak256 of 0x05 and the RLP of chain id, address and nonce. */
export function hashAuthorization({ chainId, address, nonce }: Authorization): Uint8Array {
  const fields = [encodeInteger(chainId), address, encodeInteger(nonce)];
  return keccak256(concatBytes(Uint8Array.of(0x05), encodeRlp(fields)));
}
