import { type Connection, whoami } from "@keyhearth/sdk";
import type { SessionKeeper } from "@keyhearth/sdk/browser";
import { useCallback, useEffect, useRef, useState } from "react";
import { type Account, addWallet, loadAccounts } from "./accounts.ts";
import { Action, Copyable, Message, useTask } from "./controls.tsx";
import { SignMessage } from "./sign-message.tsx";
import { SignTransfer } from "./sign-transfer.tsx";
import type { Signed } from "./signing.ts";

type Contents = { name: string; accounts: Account[] };

export function Wallet({ keeper }: { keeper: SessionKeeper }) {
  const [contents, setContents] = useState<Contents>();
  const [signed, setSigned] = useState<Signed[]>([]);
  const { running, notice, run } = useTask();
  const heading = useRef<HTMLHeadingElement>(null);
  // The session may be prolonged, but this page is about one organization.
  const [connection] = useState<Connection>(() => keeper.connection());

  const load = useCallback(async () => {
    const [{ username }, accounts] = await Promise.all([
      whoami(connection),
      loadAccounts(connection),
    ]);
    setContents({ name: username, accounts });
  }, [connection]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it loads once; `run` changes with each render
  useEffect(() => {
    run("load", load);
  }, [load]);

  // Keyboards and screen readers begin at what is new.
  const isLoaded = contents !== undefined;
  useEffect(() => {
    if (isLoaded) heading.current?.focus();
  }, [isLoaded]);

  const logOut = () => run("log-out", () => keeper.logOut());
  if (!contents) {
    return (
      <div className="wallet">
        <h1 className="unseen">Wallet</h1>
        {notice ? (
          <>
            <Message notice={notice} />
            <div className="actions">
              <Action
                isBusy={running === "load"}
                busyText="Loading…"
                onClick={() => run("load", load)}
              >
                Try again
              </Action>
              <Action
                kind="secondary"
                isBusy={running === "log-out"}
                busyText="Logging out…"
                onClick={logOut}
              >
                Log out
              </Action>
            </div>
          </>
        ) : (
          <p className="quiet" role="status">
            Loading your wallet…
          </p>
        )}
      </div>
    );
  }
  const { name, accounts } = contents;
  const add = (result: Signed) => setSigned((before) => [result, ...before]);
  const ethereum = accounts.find(({ chain }) => chain === "Ethereum");
  return (
    <div className="wallet">
      <div className="title">
        <h1 ref={heading} tabIndex={-1}>
          {name}
        </h1>
        <Action
          kind="secondary"
          isBusy={running === "log-out"}
          busyText="Logging out…"
          onClick={logOut}
        >
          Log out
        </Action>
      </div>
      <Message notice={notice} />
      {accounts.length === 0 ? (
        <section className="card empty">
          <h2>No wallet yet</h2>
          <p>Make one, with an account on Ethereum and one on Solana.</p>
          <Action
            isBusy={running === "add"}
            busyText="Making it…"
            onClick={() =>
              run("add", async () => {
                await addWallet(connection);
                await load();
              })
            }
          >
            Make a wallet
          </Action>
        </section>
      ) : (
        <>
          <section aria-labelledby="accounts">
            <h2 id="accounts">Accounts</h2>
            <ul className="accounts">
              {accounts.map(({ chain, address }) => (
                <li className="card" key={address}>
                  <h3>{chain}</h3>
                  <Copyable label={`${chain} address`} text={address} />
                </li>
              ))}
            </ul>
          </section>
          <div className="columns">
            <SignMessage connection={connection} accounts={accounts} onSigned={add} />
            {ethereum && <SignTransfer connection={connection} account={ethereum} onSigned={add} />}
          </div>
          <History signed={signed} />
        </>
      )}
    </div>
  );
}

function History({ signed }: { signed: Signed[] }) {
  return (
    <section aria-labelledby="history">
      <h2 id="history">Signed</h2>
      {signed.length === 0 && (
        <p className="quiet">Nothing yet. What you sign in this visit appears here.</p>
      )}
      <ol className="history" aria-live="polite">
        {signed.map(({ what, account, label, value }) => (
          <li className="card" key={value + what}>
            <p>
              <strong>{account.chain}</strong> {what}
            </p>
            <h3>{label}, checked in this page</h3>
            <Copyable label={label.toLowerCase()} text={value} />
          </li>
        ))}
      </ol>
    </section>
  );
}
