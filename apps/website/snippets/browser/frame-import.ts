import { type Connection, importWallet, initImportWallet } from "@keyhearth/sdk";
import { IframeStamper } from "@keyhearth/sdk/stampers/iframe";

/** Opens a frame with a field for the words. Call what it returns when people have entered them. */
export async function openImport(
  connection: Connection,
  userId: string,
  { url, container }: { url: string; container: Element },
): Promise<(walletName: string) => Promise<string>> {
  const frame = new IframeStamper({ url, container });
  await frame.init();
  const { organizationId } = connection;
  const { importBundle } = await initImportWallet(connection, { userId });
  await frame.injectImportBundle({ importBundle, organizationId, userId });
  return async (walletName) => {
    const encryptedBundle = await frame.extractWalletBundle();
    const accounts: [] = [];
    const wallet = { userId, walletName, encryptedBundle, accounts };
    const { walletId } = await importWallet(connection, wallet);
    frame.clear();
    return walletId;
  };
}
