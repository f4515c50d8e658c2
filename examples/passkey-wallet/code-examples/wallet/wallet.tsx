import type { SessionKeeperOptions } from "@keyhearth/sdk/browser";
import {
  KeyhearthProvider,
  type SignUpRequest,
  usePasskeyLogin,
  usePasskeySignUp,
  useSession,
  useSignMessage,
  useWallets,
} from "@keyhearth/sdk/react";
import { useState } from "react";

export function App({ options }: { options: SessionKeeperOptions }) {
  return (
    <KeyhearthProvider options={options}>
      <Home />
    </KeyhearthProvider>
  );
}

function Home() {
  const { status, error, reason, logOut } = useSession();
  if (status === "loading") return <p>Opening…</p>;
  if (status === "failed") return <p role="alert">{error.message}</p>;
  if (status === "logged-out") return <Welcome reason={reason} />;
  return (
    <>
      <Wallet />
      <button type="button" onClick={() => logOut()}>
        Log out
      </button>
    </>
  );
}

function Welcome({ reason }: { reason?: string }) {
  const [name, setName] = useState("");
  const signUp = usePasskeySignUp((request) => register({ ...request, name }));
  const logIn = usePasskeyLogin();
  const isBusy = signUp.status === "pending" || logIn.status === "pending";
  const error = signUp.error ?? logIn.error;
  const create = () => signUp.run({ rp: { name: "Example" }, user: { name } });
  return (
    <>
      {reason && <p>You were logged out: {reason}</p>}
      <input aria-label="Name" value={name} onChange={(event) => setName(event.target.value)} />
      <button type="button" disabled={isBusy || name === ""} onClick={create}>
        Sign up
      </button>
      <button type="button" disabled={isBusy} onClick={() => logIn.run()}>
        Log in
      </button>
      {error && <p role="alert">{error.message}</p>}
    </>
  );
}

function Wallet() {
  const wallets = useWallets();
  const { run, status, result, error } = useSignMessage();
  if (wallets.error) return <p role="alert">{wallets.error.message}</p>;
  const accounts = wallets.data?.flatMap((wallet) => wallet.accounts) ?? [];
  return (
    <>
      <ul>
        {accounts.map((account) => (
          <li key={account.address}>
            {account.address}
            <button
              type="button"
              disabled={status === "pending"}
              onClick={() => run({ account, message: "hello" })}
            >
              Sign “hello”
            </button>
          </li>
        ))}
      </ul>
      {result && <output>{result.signature}</output>}
      {error && <p role="alert">{error.message}</p>}
    </>
  );
}

/** Your server creates a sub-organization with these credentials, and returns its id. */
async function register(request: SignUpRequest & { name: string }) {
  const answer = await fetch("/sign-up", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  if (!answer.ok) throw new Error("The server could not sign you up. Try again later");
  const { organizationId } = await answer.json();
  return { organizationId };
}
