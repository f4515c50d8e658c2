import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { isValidPrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import * as z from "zod";
import type { Context } from "../declare/context.ts";
import { defineActivity } from "../declare/define.ts";
import { alreadyExists, checkAll } from "../errors.ts";
import {
  Address,
  AddressFormat,
  Curve,
  EncryptedBundle,
  label,
  list,
  OwnUserId,
  PrivateKeyId,
} from "../fields/schemas.ts";
import { checkAddressFormats } from "../keys/address-formats.ts";
import {
  assertOwnImport,
  bundleInvalid,
  closeImport,
  type Import,
  withImported,
} from "../keys/imports.ts";
import { nameTaken, writePrivateKey } from "../keys/private-keys.ts";
import { checkLimit, LIMITS } from "../records/limits.ts";
import { findLineOfKey } from "../records/private-key.ts";

/** Imports a private key that the user encrypted to the key of `init_import_private_key`. */
export const importPrivateKey = defineActivity({
  name: "import_private_key",
  tag: "Private Keys",
  summary: "Import private key",
  description: "Import a private key that you encrypted to the key of your import bundle.",
  policy: { resource: "PRIVATE_KEY", action: "IMPORT" },
  readsSender: true,
  defaultType: "ACTIVITY_TYPE_IMPORT_PRIVATE_KEY",
  versions: {
    ACTIVITY_TYPE_IMPORT_PRIVATE_KEY: {
      intentKey: "importPrivateKeyIntent",
      resultKey: "importPrivateKeyResult",
      intent: z.strictObject({
        userId: OwnUserId,
        privateKeyName: label("Name of the private key, unique within the organization."),
        encryptedBundle: EncryptedBundle,
        curve: Curve,
        addressFormats: list(AddressFormat, "Formats in which to create the address of the key."),
      }),
      result: z.strictObject({
        privateKeyId: PrivateKeyId,
        addresses: z.array(Address).describe("The addresses in the requested formats."),
      }),
    },
  },
  example: {
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
    privateKeyName: "hot key",
    encryptedBundle: '{"encappedPublic":"04…","ciphertext":"…"}',
    curve: "CURVE_SECP256K1",
    addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
  },

  check(context, intent) {
    const { privateKeys } = context.document;
    const { privateKeyName, curve, addressFormats } = intent;
    checkAll(
      () => assertOwnImport(context, intent),
      () => {
        const isTaken = privateKeys.some((line) => line.privateKeyName === privateKeyName);
        if (isTaken) throw nameTaken("parameters.privateKeyName", privateKeyName);
      },
      () => checkAddressFormats(addressFormats, curve, "parameters.addressFormats"),
      () => withKey(context, intent, () => undefined),
      () => {
        const field = "parameters.privateKeyName";
        checkLimit(privateKeys.length + 1, LIMITS.privateKeys, { noun: "private keys", field });
      },
    );
  },

  execute(context, intent) {
    const { organizationId } = context;
    return withKey(context, intent, (key, publicKey) => {
      const privateKeyId = context.newKeyId("private-key");
      const params = { ...intent, privateKeyTags: [] };
      const owner = { organizationId, privateKeyId };
      const { line, addresses } = writePrivateKey(context, owner, params, key);
      context.update().privateKeys.push({ ...line, imported: true, publicKey });
      closeImport(context, "private-key");
      return { privateKeyId, addresses };
    });
  },
});

/** Hands the imported key to `use`. Refuses one that the curve or the organization does not allow. */
function withKey<T>(
  context: Context,
  intent: Import & { curve: z.output<typeof Curve> },
  use: (key: SecretBytes, publicKey: string) => T,
): T {
  const { curve } = intent;
  return withImported(context, "private-key", intent, (key) => {
    if (!isValidPrivateKey(curve, key)) {
      throw bundleInvalid(`holds 32 bytes that are not a private key of \`${curve}\``);
    }
    const publicKey = encodeHex(publicKeyOf(curve, key));
    const same = findLineOfKey(context.document, { curve, publicKey }, "x");
    if (!same) return use(key, publicKey);
    throw alreadyExists(
      "KEY_TAKEN",
      "parameters.encryptedBundle",
      `private key with ID ${same.privateKeyId} has already been imported in this organization, or was created in it`,
    );
  });
}
