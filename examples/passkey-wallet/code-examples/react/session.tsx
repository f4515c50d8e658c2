import { whoami } from "@keyhearth/sdk";
import { useQuery, useSession, useSignMessage, useWallets } from "@keyhearth/sdk/react";

export function Session() {
  const { session, logOut } = useSession();
  const user = useQuery(whoami, {});
  const wallets = useWallets();
  const { run, status, result, error } = useSignMessage();
  if (!session) return null;
  // Each wallet of this app has an account on Ethereum and one on Solana.
  const account = wallets.data?.[0]?.accounts.find(
    ({ addressFormat }) => addressFormat === "ADDRESS_FORMAT_ETHEREUM",
  );
  return (
    <>
      <p>
        {user.data?.username}, until {new Date(session.expiresAtMs).toLocaleTimeString()}
      </p>
      {account && (
        <button
          type="button"
          disabled={status === "pending"}
          onClick={() => run({ account, message: "Hello from Keyhearth" })}
        >
          Sign with {account.address}
        </button>
      )}
      {result && <output>{result.signature}</output>}
      {error && <p role="alert">{error.message}</p>}
      <button type="button" onClick={() => logOut()}>
        Log out
      </button>
    </>
  );
}
