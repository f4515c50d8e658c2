import { type ReactElement, useEffect, useRef, useState } from "react";
import { exportPrivateKey, exportWallet, exportWalletAccount } from "../calls/generated/calls.ts";
import type { Connection } from "../connection/connection.ts";
import type { KeyhearthError } from "../errors/errors.ts";
import { useKeyhearth } from "../react/provider.ts";
import type { IframeStamper, KeyFormat } from "../stampers/iframe.ts";
import { useActs } from "./acts.ts";
import { openFrame } from "./frames.ts";
import { Button, type KitOptions, Panel, useKit } from "./kit.tsx";
import { problemOf } from "./problems.ts";
import type { KitTexts } from "./texts.ts";

/** What is shown: a wallet’s recovery phrase, or the private key of an account or of a private key. */
export type Exported =
  | { walletId: string; address?: never; privateKeyId?: never }
  | { address: string; keyFormat?: KeyFormat; walletId?: never; privateKeyId?: never }
  | { privateKeyId: string; keyFormat?: KeyFormat; walletId?: never; address?: never };

export type ExportProps = KitOptions &
  Exported & {
    /** It is on the screen. This page has not seen it: it is in the frame. */
    onSuccess?(): void;
    onError?(error: KeyhearthError): void;
    onClose?(): void;
    /** Shows one state and does nothing. */
    preview?: { step?: Step; busy?: boolean; error?: KeyhearthError };
  };

type Step = "warned" | "shown" | "hidden";

/**
 * Shows a secret in the frame of the service, after a warning. It is gone when people hide it, when they leave the page, and
 * when this component goes away.
 */
export function Export(props: ExportProps): ReactElement {
  const { walletId, privateKeyId, address } = props;
  // What was shown of one is gone before another one is asked for.
  return <OneExport key={walletId ?? privateKeyId ?? address} {...props} />;
}

function OneExport(props: ExportProps) {
  const kit = useKit(props);
  const { texts } = kit;
  const { keeper } = useKeyhearth();
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<IframeStamper>(undefined);
  const [ownStep, setStep] = useState<Step>("warned");
  const acts = useActs(props.onError);
  const { preview } = props;
  const step = preview ? (preview.step ?? "warned") : ownStep;
  const isBusy = preview ? preview.busy === true : acts.busy !== undefined;
  const error = preview ? preview.error : acts.error;

  const clear = () => {
    frame.current?.clear();
    frame.current = undefined;
  };
  useEffect(() => {
    const hide = () => {
      if (!frame.current) return;
      frame.current.clear();
      frame.current = undefined;
      setStep("hidden");
    };
    // A page that comes back out of the browser’s cache shows nothing.
    window.addEventListener("pagehide", hide);
    return () => {
      window.removeEventListener("pagehide", hide);
      frame.current?.clear();
      frame.current = undefined;
    };
  }, []);

  const show = () =>
    acts.run("show", async (signal) => {
      if (preview || !box.current) return;
      const connection = keeper.connection();
      const { framesUrl } = kit;
      const at = { keeper, title: texts.exportFrame, ...(framesUrl ? { framesUrl } : {}) };
      const opened = await openFrame("export", box.current, at, signal);
      frame.current = opened;
      try {
        await showIn(opened, connection, props, signal);
        signal.throwIfAborted();
      } catch (cause) {
        clear();
        throw cause;
      }
      setStep("shown");
      props.onSuccess?.();
    });
  const hide = () => {
    clear();
    setStep("hidden");
  };

  const isWallet = props.walletId !== undefined;
  const said = { warned: undefined, shown: texts.shownNow, hidden: texts.hidden }[step];
  return (
    <Panel
      kit={kit}
      title={isWallet ? texts.exportWalletTitle : texts.exportKeyTitle}
      step={step}
      status={isBusy ? texts.working : said}
      problem={error && problemOf(error, texts).text}
      onClose={props.onClose}
    >
      {step === "shown" ? (
        <p className="keyhearth-warning">{texts.shownNow}</p>
      ) : (
        <Warning isWallet={isWallet} isBusy={isBusy} onShow={show} texts={texts} />
      )}
      <div className="keyhearth-frame" ref={box} />
      {preview && step === "shown" && <p className="keyhearth-place">{texts.exportFrame}</p>}
      {step === "shown" && (
        <Button look="primary" onClick={hide}>
          {texts.hide}
        </Button>
      )}
      {step === "hidden" && <p className="keyhearth-muted">{texts.hidden}</p>}
    </Panel>
  );
}

type WarningProps = { isWallet: boolean; isBusy: boolean; onShow(): void; texts: KitTexts };

function Warning({ isWallet, isBusy, onShow, texts }: WarningProps) {
  const [isAlone, setAlone] = useState(false);
  return (
    <>
      <div className="keyhearth-warning keyhearth-stack">
        <p className="keyhearth-text keyhearth-strong">
          {isWallet ? texts.exportWarnWallet : texts.exportWarnKey}
        </p>
        <p className="keyhearth-text">{texts.exportWarnAsked}</p>
      </div>
      <label className="keyhearth-check">
        <input
          type="checkbox"
          checked={isAlone || isBusy}
          onChange={(event) => setAlone(event.target.checked)}
        />
        <span>{texts.exportAlone}</span>
      </label>
      <Button look="primary" isBusy={isBusy} isOff={!isAlone} onClick={onShow}>
        {texts.show}
      </Button>
    </>
  );
}

async function showIn(
  frame: IframeStamper,
  connection: Connection,
  props: Exported,
  signal: AbortSignal,
) {
  const { organizationId } = connection;
  const targetPublicKey = frame.publicKey;
  if (props.walletId !== undefined) {
    const { walletId } = props;
    const { exportBundle } = await exportWallet(
      connection,
      { walletId, targetPublicKey },
      { signal },
    );
    return frame.injectWalletExportBundle({ exportBundle, organizationId }, { signal });
  }
  const { exportBundle } =
    props.address === undefined
      ? await exportPrivateKey(
          connection,
          { privateKeyId: props.privateKeyId, targetPublicKey },
          { signal },
        )
      : await exportWalletAccount(
          connection,
          { address: props.address, targetPublicKey },
          { signal },
        );
  const { keyFormat = "HEXADECIMAL" } = props;
  return frame.injectKeyExportBundle({ exportBundle, organizationId, keyFormat }, { signal });
}
