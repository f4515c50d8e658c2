import { KeyhearthProvider, useSession } from "@keyhearth/sdk/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { config } from "../page.ts";
import { AddPasskey } from "./add-passkey.tsx";
import { ExportWallet } from "./export-wallet.tsx";
import { ImportWallet } from "./import-wallet.tsx";
import { LogIn } from "./log-in.tsx";
import { Session } from "./session.tsx";
import { SignUp } from "./sign-up.tsx";
import { WalletLogin } from "./wallet-login.tsx";

const { signerPublicKey, ...options } = await config();

function App() {
  const { status } = useSession();
  if (status === "loading") return <p>Opening…</p>;
  if (status === "logged-in") {
    return (
      <>
        <Session />
        <AddPasskey />
        <ExportWallet signerPublicKey={signerPublicKey} />
        <ImportWallet signerPublicKey={signerPublicKey} />
      </>
    );
  }
  return (
    <>
      <SignUp />
      <LogIn />
      <WalletLogin />
    </>
  );
}

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element with the id root");
createRoot(root).render(
  <StrictMode>
    <KeyhearthProvider options={options}>
      <App />
    </KeyhearthProvider>
  </StrictMode>,
);
