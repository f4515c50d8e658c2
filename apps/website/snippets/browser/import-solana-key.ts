import { type Connection, importPrivateKey, initImportPrivateKey } from "@keyhearth/sdk";
import { encryptPrivateKeyToBundle } from "@keyhearth/sdk/crypto";

/** Imports a key pair of Solana: 64 bytes in base58, private half first. */
export async function importSolanaKey(
  connection: Connection,
  privateKey: string,
  { userId, signerPublicKey }: { userId: string; signerPublicKey: string },
) {
  const { organizationId } = connection;
  const { importBundle } = await initImportPrivateKey(connection, { userId });
  const origin = { importBundle, organizationId, userId, signerPublicKey };
  // It refuses a pair whose halves don't belong together, and sends the private half alone.
  const encryptedBundle = encryptPrivateKeyToBundle({ privateKey, keyFormat: "SOLANA", ...origin });
  return importPrivateKey(connection, {
    userId,
    privateKeyName: "Imported from Solana",
    encryptedBundle,
    curve: "CURVE_ED25519",
    addressFormats: ["ADDRESS_FORMAT_SOLANA"],
  });
}
