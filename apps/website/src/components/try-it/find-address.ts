import { type Connection, listWalletAccounts, listWallets } from "@keyhearth/sdk";

/** The first Ethereum address of the reader's organization, for the examples. Null if there is none, or none is shown. */
export async function findAddress(connection: Connection): Promise<string | null> {
  try {
    const { wallets } = await listWallets(connection);
    const [wallet] = wallets;
    if (!wallet) return null;
    const { walletId } = wallet;
    const { accounts } = await listWalletAccounts(connection, { walletId });
    return accounts.find(({ address }) => ETHEREUM.test(address))?.address ?? null;
  } catch {
    // The examples are as good as before.
    return null;
  }
}

/** The first address that an answer says was made. */
export function addressIn(answer: string | undefined): string | null {
  return /"addresses":\s*\["(0x[0-9a-f]{40})"/i.exec(answer ?? "")?.[1] ?? null;
}

const ETHEREUM = /^0x[0-9a-f]{40}$/i;
