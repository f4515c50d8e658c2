import { type Connection, exportPrivateKey } from "@keyhearth/sdk";
import { createTargetKey, decryptPrivateKeyBundle, type KeyFormat } from "@keyhearth/sdk/crypto";

/** A private key that belongs to no wallet. */
export async function exportKey(
  connection: Connection,
  key: { privateKeyId: string; keyFormat: KeyFormat },
  signerPublicKey: string,
): Promise<string> {
  const { organizationId } = connection;
  const { privateKeyId, keyFormat } = key;
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  const { exportBundle } = await exportPrivateKey(connection, { privateKeyId, targetPublicKey });
  const origin = { exportBundle, targetPrivateKey, organizationId, signerPublicKey };
  return decryptPrivateKeyBundle({ ...origin, keyFormat });
}
