import type { SessionKeeper } from "@keyhearth/sdk/browser";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { Message } from "./controls.tsx";
import { type Notice, noticeOf, openKeeper } from "./keyhearth.ts";
import { Wallet } from "./wallet.tsx";
import { Welcome } from "./welcome.tsx";

export function App() {
  const [keeper, setKeeper] = useState<SessionKeeper>();
  const [notice, setNotice] = useState<Notice>();
  useEffect(() => {
    let isLeft = false;
    let opened: SessionKeeper | undefined;
    openKeeper().then(
      (ready) => {
        opened = ready;
        if (isLeft) ready.close();
        else setKeeper(ready);
      },
      (error) => setNotice(noticeOf(error)),
    );
    return () => {
      isLeft = true;
      opened?.close();
    };
  }, []);
  return (
    <>
      <header className="bar">
        <a className="brand" href="/">
          <img src="/favicon.svg" alt="" width="28" height="28" />
          Passkey wallet
        </a>
      </header>
      <main>
        {keeper && <Session keeper={keeper} />}
        {!keeper && (notice ? <Message notice={notice} /> : <p className="quiet">Opening…</p>)}
      </main>
      <footer className="quiet">An example of Keyhearth. Nothing here is sent to a chain.</footer>
    </>
  );
}

/** The wallet of whoever is logged in, or the way in. */
function Session({ keeper }: { keeper: SessionKeeper }) {
  const [notice, setNotice] = useState<Notice>();
  const subscribe = useCallback((changed: () => void) => keeper.subscribe(changed), [keeper]);
  const session = useSyncExternalStore(subscribe, () => keeper.session);
  useEffect(
    () =>
      keeper.subscribe((event) => {
        if (event.type !== "ended") return setNotice(undefined);
        const text =
          event.reason === "logged-out"
            ? "You’re logged out. The key of the session is deleted from this browser."
            : "Your session has ended. Log in with your passkey to go on.";
        setNotice({ tone: "calm", text });
      }),
    [keeper],
  );
  if (!session) return <Welcome keeper={keeper} notice={notice} setNotice={setNotice} />;
  return <Wallet key={session.organizationId} keeper={keeper} />;
}
