import { type Connection, importPrivateKey, initImportPrivateKey } from "@keyhearth/sdk";
import { encryptPrivateKeyToBundle } from "@keyhearth/sdk/crypto";

/** Imports a private key of Ethereum: 32 bytes in hex, with or without 0x. */
export async function importHexKey(
  connection: Connection,
  privateKey: string,
  { userId, signerPublicKey }: { userId: string; signerPublicKey: string },
) {
  const { organizationId } = connection;
  const { importBundle } = await initImportPrivateKey(connection, { userId });
  const origin = { importBundle, organizationId, userId, signerPublicKey };
  const encryptedBundle = encryptPrivateKeyToBundle({ privateKey, ...origin });
  return importPrivateKey(connection, {
    userId,
    privateKeyName: "Imported from Ethereum",
    encryptedBundle,
    curve: "CURVE_SECP256K1",
    addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
  });
}
