import { type Connection, createWallet, listWalletAccounts, listWallets } from "@keyhearth/sdk";

export type Chain = "Ethereum" | "Solana";
export type Account = { chain: Chain; address: string };

const chains: Record<string, Chain> = {
  ADDRESS_FORMAT_ETHEREUM: "Ethereum",
  ADDRESS_FORMAT_SOLANA: "Solana",
};

/** The accounts of all wallets that this page can sign with, oldest first. */
export async function loadAccounts(connection: Connection): Promise<Account[]> {
  const { wallets } = await listWallets(connection);
  const lists = await Promise.all(
    wallets.map(({ walletId }) => listWalletAccounts(connection, { walletId })),
  );
  return lists
    .flatMap(({ accounts }) => accounts)
    .flatMap(({ addressFormat, address }) => {
      const chain = chains[addressFormat];
      return chain ? [{ chain, address }] : [];
    })
    .sort((a, b) => a.chain.localeCompare(b.chain));
}

/** For somebody who has no wallet, such as after deleting it. */
export async function addWallet(connection: Connection): Promise<void> {
  await createWallet(connection, {
    walletName: `Wallet ${new Date().toISOString()}`,
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
      {
        curve: "CURVE_ED25519",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/501'/0'/0'",
        addressFormat: "ADDRESS_FORMAT_SOLANA",
      },
    ],
  });
}
