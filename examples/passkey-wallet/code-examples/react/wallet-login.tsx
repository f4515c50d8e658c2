import { Unauthenticated } from "@keyhearth/sdk";
import { logInWith } from "@keyhearth/sdk/browser";
import { useKeyhearth, useTask } from "@keyhearth/sdk/react";
import { type EthereumProvider, WalletStamper } from "@keyhearth/sdk/stampers/wallet";
import { post } from "../page.ts";

export function WalletLogin() {
  const { keeper } = useKeyhearth();
  const { run, status, error } = useTask(async (signal, ethereum: EthereumProvider) => {
    const stamper = new WalletStamper({ ethereum });
    try {
      return await logInWith(keeper, stamper, { signal });
    } catch (cause) {
      if (!(cause instanceof Unauthenticated)) throw cause;
    }
    // Nobody has this key yet. The stamper knows it since the wallet signed the login.
    const { publicKey } = stamper;
    const key = { publicKey, curveType: "API_KEY_CURVE_SECP256K1" };
    const { organizationId } = await post<{ organizationId: string }>("/wallet-sign-up", key);
    return logInWith(keeper, stamper, { organizationId, signal });
  });
  // Extensions put their wallets into the page.
  const { ethereum }: { ethereum?: EthereumProvider } = Object(window);
  if (!ethereum) return <p>There is no Ethereum wallet in this browser</p>;
  return (
    <>
      <button type="button" disabled={status === "pending"} onClick={() => run(ethereum)}>
        Log in with Ethereum
      </button>
      {error && <p role="alert">{error.message}</p>}
    </>
  );
}
