import {
  type Address,
  ClientState,
  TurnkeyProvider,
  type TurnkeyProviderConfig,
  useTurnkey,
} from "@turnkey/react-wallet-kit";
import { useState } from "react";
import { createRoot } from "react-dom/client";

// An app as its owners write it: the unmodified kit, with the addresses of this service and its frames.

type Settings = { url: string; organizationId: string; config?: Partial<TurnkeyProviderConfig> };

function Journeys() {
  const kit = useTurnkey();
  const [said, say] = useState("");
  const { session, wallets } = kit;
  const wallet = wallets[0];
  const run = (what: () => Promise<unknown>) => () => {
    say("");
    void what().then(
      (result) => say(typeof result === "string" ? result : "done"),
      (error: unknown) => say(`refused: ${error}`),
    );
  };
  if (kit.clientState !== ClientState.Ready) return <p>{kit.clientState ?? "starting"}</p>;
  if (!session) {
    return (
      <>
        <button type="button" onClick={run(() => kit.handleLogin())}>
          Log in
        </button>
        <output>{said}</output>
      </>
    );
  }
  const account = wallet?.accounts.find(({ addressFormat }) => addressFormat.endsWith("ETHEREUM"));
  return (
    <>
      <dl>
        <dt>Organization</dt>
        <dd id="organization">{session.organizationId}</dd>
        <dt>Address</dt>
        <dd id="address">{account?.address}</dd>
        <dt>Wallets</dt>
        <dd id="wallets">{wallets.map(({ walletName }) => walletName).join()}</dd>
      </dl>
      {account && wallet && (
        <>
          <button
            type="button"
            onClick={run(async () => {
              const message = "Hello";
              const signed = await kit.handleSignMessage({
                message,
                walletAccount: account,
                addEthereumPrefix: true,
              });
              return JSON.stringify(signed);
            })}
          >
            Sign
          </button>
          <button
            type="button"
            onClick={run(() => kit.handleExportWallet({ walletId: wallet.walletId }))}
          >
            Export the wallet
          </button>
          <button
            type="button"
            onClick={run(() =>
              kit.handleExportWalletAccount({ address: account.address as Address }),
            )}
          >
            Export the account
          </button>
        </>
      )}
      <button type="button" onClick={run(() => kit.handleImportWallet({ successPageDuration: 0 }))}>
        Import a wallet
      </button>
      <button
        type="button"
        onClick={run(() =>
          kit.handleImportPrivateKey({
            curve: "CURVE_SECP256K1",
            addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
            successPageDuration: 0,
          }),
        )}
      >
        Import a key
      </button>
      <button type="button" onClick={run(() => kit.logout())}>
        Log out
      </button>
      <output>{said}</output>
    </>
  );
}

const accounts = [
  {
    curve: "CURVE_SECP256K1" as const,
    pathFormat: "PATH_FORMAT_BIP32" as const,
    path: "m/44'/60'/0'/0/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
  },
];

export function openApp({ url, organizationId, config }: Settings) {
  const params = { customWallet: { walletName: "default", walletAccounts: accounts } };
  const given: TurnkeyProviderConfig = {
    organizationId,
    apiBaseUrl: url,
    authProxyUrl: `${url}/proxy`,
    authProxyConfigId: organizationId,
    exportIframeUrl: `${url}/frames/export`,
    importIframeUrl: `${url}/frames/import`,
    passkeyConfig: { rpId: location.hostname },
    auth: {
      oauthConfig: { oauthRedirectUri: `${location.origin}/` },
      createSuborgParams: { emailOtpAuth: params, passkeyAuth: params, oauth: params },
    },
    ...config,
  };
  createRoot(document.body.appendChild(document.createElement("main"))).render(
    <TurnkeyProvider config={given} callbacks={{ onError: (error) => window.tell(`${error}`) }}>
      <Journeys />
    </TurnkeyProvider>,
  );
}

declare global {
  interface Window {
    /** What the kit tells the app of errors. */
    tell(error: string): void;
    appSettings: Settings;
  }
}

openApp(window.appSettings);
