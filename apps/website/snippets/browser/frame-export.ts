import { type Connection, exportWallet } from "@keyhearth/sdk";
import { IframeStamper } from "@keyhearth/sdk/stampers/iframe";

/** Shows a wallet's words in a frame. Call what it returns when people have seen them. */
export async function showWallet(
  connection: Connection,
  walletId: string,
  { url, container }: { url: string; container: Element },
): Promise<() => void> {
  const frame = new IframeStamper({ url, container });
  const targetPublicKey = await frame.init();
  const { organizationId } = connection;
  const { exportBundle } = await exportWallet(connection, { walletId, targetPublicKey });
  await frame.injectWalletExportBundle({ exportBundle, organizationId });
  return () => frame.clear();
}
