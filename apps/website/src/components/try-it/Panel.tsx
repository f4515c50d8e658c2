import Translate, { translate } from "@docusaurus/Translate";
import examples from "@generated/api-reference/default/examples.json";
import requests from "@generated/api-reference/default/requests.json";
import type { Operation } from "@site/plugins/api-reference/reference.ts";
import { useDeferredValue, useMemo, useState } from "react";
import { Answer } from "./Answer.tsx";
import { BodyEditor } from "./BodyEditor.tsx";
import { problemsOf } from "./body-problems.ts";
import { ConnectForm } from "./ConnectForm.tsx";
import { type Connected, setConnected, useConnected } from "./connected.ts";
import { addressIn } from "./find-address.ts";
import { prefill, withTimestamp } from "./prefill.ts";
import { Reader } from "./Reader.tsx";
import { type Outcome, send } from "./sending.ts";
import styles from "./TryIt.module.css";
import { useService } from "./use-service.ts";

/** Connects the reader, and sends the request of one operation as they wrote it. */
export function Panel({ operation }: { operation: Operation }) {
  const service = useService();
  const connected = useConnected();
  const label = translate({ id: "tryIt.panel", message: "Try {name}" }, { name: operation.name });
  return (
    <section className={styles.panel} aria-label={label}>
      {connected ? <Reader connected={connected} /> : <ConnectForm service={service} />}
      <Request operation={operation} connected={connected} />
    </section>
  );
}

function Request({ operation, connected }: { operation: Operation; connected: Connected | null }) {
  const [openedMs, setOpenedMs] = useState(Date.now);
  const [edited, setEdited] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<(Outcome & { number: number }) | null>(null);
  const { name, path, kind } = operation;
  const example = prefill(examples[name]?.request ?? "{}", connected, openedMs);
  const text = edited ?? example;
  const checked = useDeferredValue(text);
  const problems = useMemo(() => problemsOf(checked, name, requests), [checked, name]);
  const isBroken = problems.some(({ fault }) => fault.kind === "syntax");

  async function sendText() {
    if (!connected || isBusy) return;
    setBusy(true);
    // What was sent stays: the same bytes are the same activity.
    setEdited(text);
    const came = await send(connected, path, text);
    const address = addressIn(came.exchange?.answer?.text);
    if (connected.address === null && address !== null) setConnected({ ...connected, address });
    setOutcome((last) => ({ ...came, number: (last?.number ?? 0) + 1 }));
    setBusy(false);
  }

  function renew() {
    const now = Date.now();
    if (edited === null) setOpenedMs(now);
    else setEdited(withTimestamp(edited, now));
  }

  function startOver() {
    setEdited(null);
    setOpenedMs(Date.now());
  }

  return (
    <>
      <BodyEditor text={text} problems={problems} onChange={setEdited} onSend={sendText} />
      <div className={styles.actions}>
        <button
          type="button"
          className={styles.primary}
          disabled={isBusy || !connected || isBroken}
          onClick={sendText}
        >
          {problems.length > 0 && !isBroken ? (
            <Translate id="tryIt.sendAnyway">Send it as it is</Translate>
          ) : (
            <Translate id="tryIt.send">Stamp and send</Translate>
          )}
        </button>
        {kind === "submit" && (
          <button type="button" className={styles.secondary} onClick={renew}>
            <Translate id="tryIt.renew">Set the time to now</Translate>
          </button>
        )}
        <button type="button" className={styles.secondary} onClick={startOver}>
          <Translate id="tryIt.startOver">Start over</Translate>
        </button>
      </div>
      <p className={styles.hint}>
        {connected ? (
          kind === "submit" && (
            <Translate id="tryIt.sameBytes">
              The same bytes are the same activity, which is executed once. Set the time to now to
              ask for another one.
            </Translate>
          )
        ) : (
          <Translate id="tryIt.connectFirst">Connect first. Nothing is sent before.</Translate>
        )}
      </p>
      <div aria-live="polite" aria-busy={isBusy}>
        {isBusy && (
          <p role="status">
            <Translate id="tryIt.sending">Stamping and sending…</Translate>
          </p>
        )}
        {outcome && connected && !isBusy && (
          <Answer key={outcome.number} outcome={outcome} connected={connected} />
        )}
      </div>
    </>
  );
}
