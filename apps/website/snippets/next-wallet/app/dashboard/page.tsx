"use client";

import { whoami } from "@keyhearth/sdk";
import { useQuery, useSession, useSignMessage, useWallets } from "@keyhearth/sdk/react";
import Link from "next/link";

export default function Dashboard() {
  const { status, error, logOut } = useSession();
  const user = useQuery(whoami, {});
  const wallets = useWallets();
  const signing = useSignMessage();

  if (status === "loading") return <p>Opening…</p>;
  if (status === "failed") return <p role="alert">{error.message}</p>;
  if (status === "logged-out") return <Link href="/">Log in first</Link>;

  // Each wallet of this app has an account on Ethereum and one on Solana.
  const account = wallets.data?.[0]?.accounts.find(
    ({ addressFormat }) => addressFormat === "ADDRESS_FORMAT_ETHEREUM",
  );
  const problem = user.error ?? wallets.error ?? signing.error;
  return (
    <main>
      <h1>Hello, {user.data?.username}</h1>
      <p>Organization {user.data?.organizationId}</p>
      {account && (
        <p>
          <code>{account.address}</code>
          <button
            type="button"
            disabled={signing.status === "pending"}
            onClick={() => signing.run({ account, message: "Hello from Keyhearth" })}
          >
            Sign a message
          </button>
        </p>
      )}
      {signing.result && <output>{signing.result.signature}</output>}
      {problem && <p role="alert">{problem.message}</p>}
      <button type="button" onClick={() => logOut()}>
        Log out
      </button>
    </main>
  );
}
