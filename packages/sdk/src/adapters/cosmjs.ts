/** Keys of Keyhearth as signers of CosmJS, for any chain with secp256k1 accounts of the Cosmos SDK. */
import {
  type AccountData,
  encodeSecp256k1Pubkey,
  encodeSecp256k1Signature,
  type OfflineAminoSigner,
  pubkeyToAddress,
  type StdSignature,
  serializeSignDoc,
} from "@cosmjs/amino";
import { makeSignBytes, type OfflineDirectSigner } from "@cosmjs/proto-signing";
import { decodeHex, decodeUtf8, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { signRawPayload } from "../calls/generated/calls.ts";
import { pageOf } from "../connection/answers.ts";
import type { Connection } from "../connection/connection.ts";
import { asObject } from "../errors/as-object.ts";
import { Unverified } from "../errors/errors.ts";
import { checkConnection, invalidFields } from "../errors/invalid-fields.ts";
import type { AddressFormat } from "../generated/types.ts";
import { type FoundKey, findKey, type KeyOptions, type KeySource } from "./found-key.ts";

/** Where the key is, and for which chain. */
export type CosmosSignerOptions = (
  | KeySource
  | {
      /** The address of an account, or the address or id of a private key. It is not looked up. */
      signWith: string;
      /** The key's compressed public key: 33 bytes in hex. */
      publicKey: string;
    }
) &
  KeyOptions & {
    /**
     * The chain's prefix of addresses, such as `osmo`. Default: that of the account's own address, or
     * `cosmos` if that address has none.
     */
    prefix?: string;
  };

/**
 * A signer of CosmJS that signs transactions in the direct mode, for `SigningStargateClient` and others.
 * Every signature is verified before it is returned. Throws the SDK's errors, such as `ConsensusNeeded`.
 */
export async function createCosmosDirectSigner(
  connection: Connection,
  options: CosmosSignerOptions,
): Promise<OfflineDirectSigner> {
  const key = await findCosmosKey(connection, options);
  return Object.freeze({
    getAccounts: async () => [accountOf(key)],
    async signDirect(signerAddress, signDoc) {
      assertAddress(key, signerAddress);
      // Copies, so that what is returned is what was signed.
      const bodyBytes = signDoc.bodyBytes.slice();
      const signed = { ...signDoc, bodyBytes, authInfoBytes: signDoc.authInfoBytes.slice() };
      const bytes = makeSignBytes(signed);
      const payload = {
        payload: encodeHex(bytes),
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      } as const;
      return { signed, signature: await sign(key, bytes, payload) };
    },
  } satisfies OfflineDirectSigner);
}

/**
 * A signer of CosmJS that signs the JSON of the older amino mode, for chains and messages that need it.
 * People who approve see that JSON in the activity.
 */
export async function createCosmosAminoSigner(
  connection: Connection,
  options: CosmosSignerOptions,
): Promise<OfflineAminoSigner> {
  const key = await findCosmosKey(connection, options);
  return Object.freeze({
    getAccounts: async () => [accountOf(key)],
    async signAmino(signerAddress, signDoc) {
      assertAddress(key, signerAddress);
      const signed = structuredClone(signDoc);
      const bytes = serializeSignDoc(signed);
      const payload = {
        payload: decodeUtf8(bytes),
        encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      } as const;
      return { signed, signature: await sign(key, bytes, payload) };
    },
  } satisfies OfflineAminoSigner);
}

type CosmosKey = {
  connection: Connection;
  signWith: string;
  organizationId: string | undefined;
  publicKey: Uint8Array;
  address: string;
};

async function findCosmosKey(
  connection: Connection,
  given: CosmosSignerOptions,
): Promise<CosmosKey> {
  checkConnection(connection);
  const options = asObject(given);
  const { prefix, organizationId } = options;
  if (prefix !== undefined && !/^[a-z][a-z0-9]{0,40}$/.test(prefix)) {
    throw invalidFields({
      field: "prefix",
      message: "must be the chain's prefix of addresses in lower case, such as osmo",
    });
  }
  if ("signWith" in options) {
    const { signWith } = options;
    const publicKey = keyOf(options.publicKey);
    const address = addressOf(publicKey, prefix ?? prefixOf(signWith) ?? "cosmos");
    return { connection, signWith, organizationId, publicKey, address };
  }
  const found = await findKey(connection, options, { organizationId });
  const publicKey = found.publicKey === undefined ? undefined : keyOf(found.publicKey);
  const shown = found.addresses.find(({ format }) => formats.includes(format));
  if (found.curve !== "CURVE_SECP256K1" || !publicKey || !shown) {
    throw invalidFields({
      field: "privateKeyId" in options ? "privateKeyId" : "walletId",
      message: `names a key that is not known to be one of a Cosmos account. It needs CURVE_SECP256K1 and an address in one of ${formats.join(", ")}`,
    });
  }
  if (!isAddressOf(shown, publicKey)) {
    throw unverified(connection, `the address ${shown.address} does not belong to its public key`);
  }
  const address = addressOf(publicKey, prefix ?? prefixOf(shown.address) ?? "cosmos");
  return { connection, signWith: found.signWith, organizationId, publicKey, address };
}

/** The formats whose addresses prove which public key they belong to. */
const formats: AddressFormat[] = [
  "ADDRESS_FORMAT_COSMOS",
  "ADDRESS_FORMAT_SEI",
  "ADDRESS_FORMAT_COMPRESSED",
];

function isAddressOf(
  { format, address }: FoundKey["addresses"][number],
  publicKey: Uint8Array,
): boolean {
  if (format === "ADDRESS_FORMAT_COMPRESSED") return address === encodeHex(publicKey);
  const prefix = prefixOf(address);
  return prefix !== undefined && addressOf(publicKey, prefix) === address;
}

function addressOf(publicKey: Uint8Array, prefix: string): string {
  return pubkeyToAddress(encodeSecp256k1Pubkey(publicKey), prefix);
}

/** The prefix of a bech32 address of 20 bytes, or undefined for anything else. */
function prefixOf(address: string): string | undefined {
  return /^([a-z][a-z0-9]{0,40})1[02-9ac-hj-np-z]{38}$/.exec(address)?.[1];
}

function keyOf(publicKey: string): Uint8Array {
  if (typeof publicKey === "string" && /^0[23][0-9a-f]{64}$/i.test(publicKey)) {
    return decodeHex(publicKey);
  }
  throw invalidFields({
    field: "publicKey",
    message: "must be a compressed public key on secp256k1: 33 bytes in hex",
  });
}

function accountOf({ address, publicKey }: CosmosKey): AccountData {
  return { address, algo: "secp256k1", pubkey: publicKey.slice() };
}

function assertAddress({ address }: CosmosKey, signerAddress: string): void {
  if (signerAddress === address) return;
  throw invalidFields({
    field: "signerAddress",
    message: `must be ${address}, the only account of this signer. If the prefix is wrong, set it`,
  });
}

async function sign(
  { connection, signWith, organizationId, publicKey }: CosmosKey,
  bytes: Uint8Array,
  payload: {
    payload: string;
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL" | "PAYLOAD_ENCODING_TEXT_UTF8";
  },
): Promise<StdSignature> {
  const { r, s } = await signRawPayload(
    connection,
    { signWith, ...payload, hashFunction: "HASH_FUNCTION_SHA256" },
    organizationId === undefined ? {} : { organizationId },
  );
  const { isSecp256k1Signature } = await import("./secp256k1.ts");
  const signature = /^[0-9a-f]{128}$/.test(r + s) ? decodeHex(r + s) : new Uint8Array();
  if (!isSecp256k1Signature(publicKey, bytes, signature)) {
    throw unverified(connection, `the signature is not valid for ${encodeHex(publicKey)}`);
  }
  return encodeSecp256k1Signature(publicKey, signature);
}

function unverified({ baseUrl }: Connection, problem: string): Unverified {
  return new Unverified(
    `Nothing was signed that you can use: ${problem}. Check signWith and publicKey, and ask your operator`,
    { code: "UNVERIFIED", docsUrl: pageOf(baseUrl, "UNVERIFIED") },
  );
}
