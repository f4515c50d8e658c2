import type { SessionKeeperOptions } from "@keyhearth/sdk/browser";
import { KeyhearthProvider, useSession, useWallets } from "@keyhearth/sdk/react";
import { Auth, Export, KitProvider, SignMessage } from "@keyhearth/sdk/react/kit";
import { useState } from "react";

const wallet = {
  walletName: "Main",
  accounts: [
    {
      curve: "CURVE_SECP256K1" as const,
      pathFormat: "PATH_FORMAT_BIP32" as const,
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
    },
  ],
};

/** A whole app: people sign up or log in, sign a message, and write their recovery phrase down. */
export function App({ options }: { options: SessionKeeperOptions }) {
  return (
    <KeyhearthProvider options={options}>
      <KitProvider theme={{ accent: "#1b5a4c", radius: "6px" }} colorScheme="light">
        <Home />
      </KitProvider>
    </KeyhearthProvider>
  );
}

function Home() {
  const { session, logOut } = useSession();
  const { data: wallets = [] } = useWallets();
  const [isExporting, setExporting] = useState(false);
  if (!session) return <Auth methods={["passkey", "email"]} account={{ wallet }} />;

  const [main] = wallets;
  const account = main?.accounts[0];
  if (!main || !account) return <p>Opening…</p>;
  if (isExporting) {
    return <Export walletId={main.walletId} onClose={() => setExporting(false)} />;
  }
  return (
    <>
      <SignMessage account={account} message="Hello from Keyhearth" />
      <button type="button" onClick={() => setExporting(true)}>
        Back up
      </button>
      <button type="button" onClick={() => void logOut()}>
        Log out
      </button>
    </>
  );
}
