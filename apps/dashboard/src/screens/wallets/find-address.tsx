import { listPrivateKeys, type Wallet } from "@keyhearth/sdk";
import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { findWalletOf } from "../../chains/lookups.ts";
import { useRead } from "../../data/read.ts";
import { useCurrent } from "../../session/current.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, Failed, Notice } from "../../ui/states.tsx";

type State =
  | { kind: "ready" }
  | { kind: "busy"; asked: number }
  | { kind: "found"; walletId: string; address: string }
  | { kind: "none" }
  | { kind: "failed"; error: unknown };

/** Looks up an address at the service, once somebody asks for it. */
export function FindAddress({ address, wallets }: { address: string; wallets: readonly Wallet[] }) {
  const { connection } = useCurrent();
  const [state, setState] = useState<State>({ kind: "ready" });
  const search = useRef<AbortController>(undefined);
  const keys = useRead("list_private_keys", listPrivateKeys, {});
  const key = keys.data?.privateKeys.find(({ addresses }) =>
    addresses.some((each) => each.address.toLowerCase() === address.toLowerCase()),
  );
  useEffect(() => () => search.current?.abort(), []);

  const find = async () => {
    const searching = new AbortController();
    search.current = searching;
    const { signal } = searching;
    setState({ kind: "busy", asked: 0 });
    try {
      const walletIds = wallets.map(({ walletId }) => walletId);
      const onAsked = (asked: number) => {
        if (!signal.aborted) setState({ kind: "busy", asked });
      };
      const found = await findWalletOf(connection, { address, walletIds }, { signal, onAsked });
      if (!signal.aborted) setState(found ? { kind: "found", ...found } : { kind: "none" });
    } catch (error) {
      setState(signal.aborted ? { kind: "ready" } : { kind: "failed", error });
    }
  };

  if (key) {
    return (
      <Notice tone="good">
        <span>
          The service says that this is an address of the private key{" "}
          <Link href={`/keys/${key.privateKeyId}`}>{key.privateKeyName}</Link>.
        </span>
      </Notice>
    );
  }
  switch (state.kind) {
    case "ready":
      return (
        <Empty
          title="Is this an address?"
          action={
            <Button kind="primary" onPress={() => void find()}>
              Find its account
            </Button>
          }
        >
          The service looks for it in each of your {wallets.length} wallets.
        </Empty>
      );
    case "busy":
      return (
        <div className="state" role="status">
          <p>
            Looked in {state.asked} of {wallets.length} wallets…
          </p>
          <Button onPress={() => search.current?.abort()}>Stop</Button>
        </div>
      );
    case "found":
      return (
        <Notice tone="good">
          <span>
            The service says that it is an account of{" "}
            {wallets.find(({ walletId }) => walletId === state.walletId)?.walletName}.{" "}
            <Link href={`/wallets/${state.walletId}/${encodeURIComponent(state.address)}`}>
              See the signer’s statement
            </Link>
          </span>
        </Notice>
      );
    case "none":
      return (
        <Empty title="None of your wallets has this address">
          Check it for characters that are missing. Upper and lower case count in all addresses but
          Ethereum’s.
        </Empty>
      );
    case "failed":
      return <Failed error={state.error} onRetry={find} />;
  }
}
