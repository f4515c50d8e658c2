import {
  type AddressFormat,
  type Curve,
  exportPrivateKey,
  exportWallet,
  exportWalletAccount,
} from "@keyhearth/sdk";
import type { KeyFormat } from "@keyhearth/sdk/crypto";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { type Step, usePatience } from "../data/patient.ts";
import { useCurrent } from "../session/current.tsx";
import { openFrame } from "./frame.ts";
import type { SecretPlace } from "./place.ts";

export type Exported =
  | { kind: "wallet"; walletId: string }
  | { kind: "account"; address: string; curve: Curve; format: AddressFormat }
  | { kind: "key"; privateKeyId: string; curve: Curve; format: AddressFormat | undefined };

/** How long a secret stays on the screen. */
const SHOWN_MS = 60_000;

/**
 * Shows a secret in a box. It is only ever there: not in the state of the page, in no storage and in no address. It goes when
 * people hide it, leave the screen or the tab, or after a minute. What comes later than that is shown once somebody goes on.
 */
export function useReveal(box: RefObject<HTMLElement | null>, place: SecretPlace) {
  const { organizationId } = useCurrent().session;
  const { run, isBusy, error, waiting } = usePatience();
  const [state, setState] = useState<{ untilMs?: number; wasHidden: boolean }>({
    wasHidden: false,
  });
  const [goOn, setGoOn] = useState<() => void>();
  const opened = useRef<{ clear(): void }>(undefined);
  const clear = useCallback(() => {
    opened.current?.clear();
    opened.current = undefined;
    box.current?.replaceChildren();
  }, [box]);
  const hide = useCallback(() => {
    clear();
    setState({ wasHidden: true });
  }, [clear]);
  useEffect(() => clear, [clear]);
  useHiding(state.untilMs !== undefined, hide);

  const show = async (what: Exported, keyFormat: KeyFormat) => {
    const closing = new AbortController();
    const { signal } = closing;
    opened.current = { clear: () => closing.abort() };
    const askedMs = Date.now();
    // Approvals may come hours later, when nobody is there, or somebody else.
    const untilWatched = async () => {
      const isThere = document.visibilityState === "visible" && Date.now() - askedMs < SHOWN_MS;
      if (isThere || signal.aborted) return;
      await new Promise<void>((resolve) => {
        setGoOn(() => resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      setGoOn(undefined);
    };
    const isShown = await run(async (step) => {
      if (!box.current || place.kind === "nowhere") return false;
      const target = { what, keyFormat, organizationId, step, signal, untilWatched };
      if (place.kind === "page") return showInPage(box.current, place.signerPublicKey, target);
      const at = { framesUrl: place.framesUrl, title: "Your secret", signal };
      const frame = await openFrame("export", box.current, at);
      opened.current = {
        clear() {
          closing.abort();
          frame.clear();
        },
      };
      const exportBundle = await ask(what, frame.publicKey, step);
      await untilWatched();
      if (signal.aborted) return false;
      const bundle = { exportBundle, organizationId };
      if (what.kind === "wallet") await frame.injectWalletExportBundle(bundle);
      else await frame.injectKeyExportBundle({ ...bundle, keyFormat });
      return true;
    });
    if (isShown) setState({ untilMs: Date.now() + SHOWN_MS, wasHidden: false });
    else clear();
  };
  return { show, hide, ...state, isBusy, error, waiting, goOn };
}

type Target = {
  what: Exported;
  keyFormat: KeyFormat;
  organizationId: string;
  step: Step;
  /** Aborted when the dialog closes: nothing may be shown after that. */
  signal: AbortSignal;
  /** Waits until somebody is there to see it. */
  untilWatched: () => Promise<void>;
};

async function showInPage(
  box: HTMLElement,
  signerPublicKey: string,
  { what, keyFormat, organizationId, step, signal, untilWatched }: Target,
): Promise<boolean> {
  const { createTargetKey, decryptPrivateKeyBundle, decryptWalletBundle } = await import(
    "@keyhearth/sdk/crypto"
  );
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  const exportBundle = await ask(what, targetPublicKey, step);
  await untilWatched();
  if (signal.aborted) return false;
  const origin = { exportBundle, organizationId, signerPublicKey, targetPrivateKey };
  if (what.kind === "wallet") {
    const { mnemonic, passphrase } = decryptWalletBundle(origin);
    write(box, [
      ["Recovery phrase", mnemonic],
      ["Passphrase", passphrase],
    ]);
  } else {
    write(box, [["Private key", decryptPrivateKeyBundle({ ...origin, keyFormat })]]);
  }
  return true;
}

async function ask(what: Exported, targetPublicKey: string, step: Step): Promise<string> {
  const { exportBundle } = await step<{ exportBundle: string }>((connection, options) => {
    switch (what.kind) {
      case "wallet":
        return exportWallet(connection, { walletId: what.walletId, targetPublicKey }, options);
      case "account":
        return exportWalletAccount(connection, { address: what.address, targetPublicKey }, options);
      case "key":
        return exportPrivateKey(
          connection,
          { privateKeyId: what.privateKeyId, targetPublicKey },
          options,
        );
    }
  });
  return exportBundle;
}

/** Straight into the document, and as text. */
function write(box: HTMLElement, parts: readonly (readonly [name: string, text: string])[]) {
  const shown = parts.filter(([, text]) => text !== "");
  box.replaceChildren(
    ...shown.flatMap(([name, text]) => {
      const label = document.createElement("span");
      label.className = "field-label";
      label.textContent = name;
      const content = document.createElement("p");
      content.className = "mono secret-text";
      content.textContent = text;
      return [label, content];
    }),
  );
}

function useHiding(isShown: boolean, hide: () => void) {
  useEffect(() => {
    if (!isShown) return;
    const onVisibility = () => {
      if (document.visibilityState === "hidden") hide();
    };
    const timer = setTimeout(hide, SHOWN_MS);
    addEventListener("pagehide", hide);
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      clearTimeout(timer);
      removeEventListener("pagehide", hide);
      document.removeEventListener("visibilitychange", onVisibility);
    };
  }, [isShown, hide]);
}
