import { encodeHex, wipe } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import { alreadyExists, checkAll, checkEach, invalid } from "../errors.ts";
import type { AddressFormat, PrivateKeyParams } from "../fields/schemas.ts";
import type { PrivateKeyLine, Tag } from "../records/organization.ts";
import type { PrivateKey } from "../records/private-key.ts";
import { randomPrivateKey } from "../vault/secrets.ts";
import { addressOf, checkAddressFormats } from "./address-formats.ts";
import type { KeyTools } from "./tools.ts";

/** Creates a private key that belongs to no wallet and writes it. */
export function createPrivateKeyRecord(
  context: KeyTools,
  owner: { organizationId: string; privateKeyId: string },
  params: PrivateKeyParams,
): { line: PrivateKeyLine; addresses: { format: AddressFormat; address: string }[] } {
  const key = randomPrivateKey(params.curve, context);
  try {
    return writePrivateKey(context, owner, params, key);
  } finally {
    wipe(key);
  }
}

/** Writes a private key, and returns its line for the document. The caller wipes the key. */
export function writePrivateKey(
  context: KeyTools,
  { organizationId, privateKeyId }: { organizationId: string; privateKeyId: string },
  { privateKeyName, curve, privateKeyTags, addressFormats }: PrivateKeyParams,
  key: SecretBytes,
): { line: PrivateKeyLine; addresses: { format: AddressFormat; address: string }[] } {
  const { nowMs } = context;
  const publicKey = publicKeyOf(curve, key);
  const addresses = addressFormats.map((format) => ({
    format,
    address: addressOf(format, publicKey, curve),
  }));
  const record: PrivateKey = {
    privateKeyId,
    curve,
    publicKey: encodeHex(publicKey),
    addresses: addresses.map(({ format, address }) => {
      const proof = context.keys.prove(
        "APP_PROOF_TYPE_ADDRESS_DERIVATION",
        "addressDerivationProof",
        {
          organizationId,
          privateKeyId,
          address,
        },
      );
      return { format, address, proof };
    }),
    sealedKey: context.keys.seal({ organizationId, id: privateKeyId, part: "key" }, key),
    createdAtMs: nowMs,
  };
  context.write.privateKey(record, organizationId);
  const line: PrivateKeyLine = {
    privateKeyId,
    privateKeyName,
    curve,
    publicKey: null,
    privateKeyTags: [...new Set(privateKeyTags)],
    exported: false,
    imported: false,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  return { line, addresses };
}

/** The signer states each address of a key, and nobody else is served meanwhile. A request for 290 takes the service 0.2 s. */
export const MAX_ADDRESSES = 300;

/** Names must be unique, tags must exist, formats must fit. Adds the names to `taken`. */
export function checkPrivateKeys(privateKeys: PrivateKeyParams[], taken: Set<string>, tags: Tag[]) {
  const addresses = privateKeys.reduce((sum, { addressFormats }) => sum + addressFormats.length, 0);
  if (addresses > MAX_ADDRESSES) {
    throw invalid(
      "parameters.privateKeys",
      `the private keys of a request may have ${MAX_ADDRESSES} addresses together, got ${addresses}: create them with several requests`,
    );
  }
  checkEach(privateKeys, ({ privateKeyName, curve, addressFormats, privateKeyTags }, index) => {
    const at = `parameters.privateKeys[${index}]`;
    checkAll(
      () => {
        if (taken.has(privateKeyName)) throw nameTaken(`${at}.privateKeyName`, privateKeyName);
        taken.add(privateKeyName);
      },
      () => checkAddressFormats(addressFormats, curve, `${at}.addressFormats`),
      () =>
        checkEach(privateKeyTags, (tagId, position) => {
          if (tags.some((tag) => tag.tagId === tagId)) return;
          const field = `${at}.privateKeyTags[${position}]`;
          throw invalid(field, `private key tag not found: \`${tagId}\``, "NOT_FOUND");
        }),
    );
  });
}

export function nameTaken(field: string, name: string) {
  const message = `a private key with the name \`${name}\` already exists`;
  return alreadyExists("NAME_TAKEN", field, message);
}
