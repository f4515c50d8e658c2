import { type Connection, exportWalletAccount } from "@keyhearth/sdk";
import { createTargetKey, decryptPrivateKeyBundle, type KeyFormat } from "@keyhearth/sdk/crypto";

/** The private key of one account, without the words of its wallet. */
export async function exportAccount(
  connection: Connection,
  account: { address: string; keyFormat: KeyFormat },
  signerPublicKey: string,
): Promise<string> {
  const { organizationId } = connection;
  const { address, keyFormat } = account;
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  const { exportBundle } = await exportWalletAccount(connection, { address, targetPublicKey });
  const origin = { exportBundle, targetPrivateKey, organizationId, signerPublicKey };
  return decryptPrivateKeyBundle({ ...origin, keyFormat });
}
