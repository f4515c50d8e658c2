import { useEffect, useState } from "react";
import type { EthereumProvider, SolanaWallet } from "../stampers/wallet.ts";

/** A wallet that people have: an EIP-1193 provider, or a wallet of Solana. */
export type OwnWallet = { name: string } & (
  | { ethereum: EthereumProvider; solana?: never }
  | { solana: SolanaWallet; ethereum?: never }
);

type Announced = Event & {
  detail?: { info?: { uuid?: unknown; name?: unknown }; provider?: EthereumProvider };
};

/** The wallets that extensions announce to this page (EIP-6963), if the app names none. */
export function useOwnWallets(given: readonly OwnWallet[] | undefined): readonly OwnWallet[] {
  const [found, setFound] = useState<readonly OwnWallet[]>([]);
  useEffect(() => {
    if (given) return;
    const known = new Map<unknown, OwnWallet>();
    const onAnnounced = (event: Event) => {
      const { info, provider } = (event as Announced).detail ?? {};
      if (typeof provider?.request !== "function" || typeof info?.name !== "string") return;
      known.set(info.uuid, { name: info.name.slice(0, 40), ethereum: provider });
      setFound([...known.values()]);
    };
    window.addEventListener("eip6963:announceProvider", onAnnounced);
    window.dispatchEvent(new Event("eip6963:requestProvider"));
    return () => window.removeEventListener("eip6963:announceProvider", onAnnounced);
  }, [given]);
  return given ?? found;
}
