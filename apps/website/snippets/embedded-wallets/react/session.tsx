import { whoami } from "@keyhearth/sdk";
import { useQuery, useSession, useSignMessage, useWallets } from "@keyhearth/sdk/react";

export function Session() {
  const { session, logOut } = useSession();
  const user = useQuery(whoami, {});
  const wallets = useWallets();
  const { run, status, result, error } = useSignMessage();
  if (!session) return null;
  const account = wallets.data?.[0]?.accounts[0];
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
