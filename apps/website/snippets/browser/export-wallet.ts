import { type Connection, exportWallet } from "@keyhearth/sdk";
import { createTargetKey, decryptWalletBundle } from "@keyhearth/sdk/crypto";

/** The words of a wallet, and its passphrase if it has one. */
export async function exportWords(
  connection: Connection,
  walletId: string,
  signerPublicKey: string,
) {
  const { organizationId } = connection;
  // A key for this export alone. It goes when this function returns.
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  const { exportBundle } = await exportWallet(connection, { walletId, targetPublicKey });
  // Checks the signature, the organization and the key before it decrypts.
  const origin = { exportBundle, targetPrivateKey, organizationId, signerPublicKey };
  return decryptWalletBundle(origin);
}
