import type { SessionKeeperOptions } from "@keyhearth/sdk/browser";
import {
  KeyhearthProvider,
  useKeyhearth,
  usePasskeyLogin,
  useSession,
  useSignMessage,
} from "@keyhearth/sdk/react";
import { StrictMode } from "react";
import { CodeLogin, OidcLogin } from "../../apps/website/snippets/browser/react-logins.tsx";
import { App } from "../../examples/passkey-wallet/code-examples/wallet/wallet.tsx";

// What a server renders and the page continues: the app that the site shows, and beside it a provider of
// its own whose components stay when the session ends.

type Props = {
  options: SessionKeeperOptions;
  askProvider: (nonce: string) => Promise<string>;
};

export function Root({ options, askProvider }: Props) {
  return (
    <StrictMode>
      <main>
        <App options={options} />
      </main>
      <KeyhearthProvider options={options}>
        <aside>
          <State />
          <Sign />
          <Dismissed />
          <CodeLogin />
          <OidcLogin askProvider={askProvider} />
        </aside>
      </KeyhearthProvider>
    </StrictMode>
  );
}

function State() {
  const { status, session } = useSession();
  return <output aria-label="State">{`${status} ${session?.organizationId ?? ""}`}</output>;
}

/** Signs with any address, whoever is logged in. */
function Sign() {
  const { connection } = useKeyhearth();
  const { run, status, result, error } = useSignMessage();
  const sign = (data: FormData) => {
    const address = String(data.get("address"));
    const isEthereum = address.startsWith("0x");
    const addressFormat = isEthereum ? "ADDRESS_FORMAT_ETHEREUM" : "ADDRESS_FORMAT_SOLANA";
    return run({ account: { address, addressFormat }, message: "grüße" }).then(() => {});
  };
  return (
    <form action={sign}>
      <input name="address" aria-label="Address" />
      <button type="submit">Sign with it</button>
      <output aria-label="Signed">{`${status} ${result?.signature ?? error?.name ?? ""}`}</output>
      <output aria-label="Connection">{connection?.organizationId ?? "none"}</output>
    </form>
  );
}

/** Asks for a passkey that nobody has. Browsers answer as if people had dismissed the prompt. */
function Dismissed() {
  const { run, status, error } = usePasskeyLogin();
  return (
    <>
      <button type="button" onClick={() => run({ allowCredentials: ["AAAA"], timeoutMs: 200 })}>
        Ask for another passkey
      </button>
      <output aria-label="Prompt">{`${status} ${error?.name ?? ""} ${error?.code ?? ""}`}</output>
    </>
  );
}
