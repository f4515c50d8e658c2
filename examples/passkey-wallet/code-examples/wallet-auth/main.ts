import { createWallet, listWallets, Unauthenticated } from "@keyhearth/sdk";
import { logInWith, SessionKeeper } from "@keyhearth/sdk/browser";
import {
  type EthereumProvider,
  type SolanaWallet,
  WalletStamper,
} from "@keyhearth/sdk/stampers/wallet";
import { config, log, onClick, post } from "../page.ts";

const keeper = new SessionKeeper(await config());

// Extensions put their wallets into the page.
onClick("log-in-ethereum", async () => {
  const { ethereum }: { ethereum?: EthereumProvider } = Object(window);
  if (!ethereum) throw new Error("There is no Ethereum wallet in this browser");
  await enter(new WalletStamper({ ethereum }), "API_KEY_CURVE_SECP256K1");
});

type SolanaExtension = SolanaWallet & { connect(): Promise<unknown> };
onClick("log-in-solana", async () => {
  const { solana }: { solana?: SolanaExtension } = Object(window);
  if (!solana) throw new Error("There is no Solana wallet in this browser");
  await solana.connect();
  await enter(new WalletStamper({ solana }), "API_KEY_CURVE_ED25519");
});

/** One prompt of the wallet for people who come back, and two for those who are new. */
async function enter(stamper: WalletStamper, curveType: string) {
  try {
    await logInWith(keeper, stamper);
    log("Welcome back");
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error;
    // The service knows no such key. The stamper knows it since the wallet signed the login.
    const { publicKey } = stamper;
    type Found = { organizationId: string };
    const { organizationId } = await post<Found>("/wallet-sign-up", { publicKey, curveType });
    await logInWith(keeper, stamper, { organizationId });
    log("Welcome");
  }
  // No prompt from here on: the session stamps.
  const { wallets } = await listWallets(keeper.connection());
  if (wallets.length === 0) {
    await createWallet(keeper.connection(), { walletName: "Main", accounts: [ethereumAccount] });
  }
  const after = await listWallets(keeper.connection());
  log(`Wallets: ${after.wallets.map(({ walletName }) => walletName).join(", ")}`);
}

const ethereumAccount = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const;
