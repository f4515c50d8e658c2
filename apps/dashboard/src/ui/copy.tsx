import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./button.tsx";

/** A button that copies a text. `label` says what it copies, such as "Copy the address". */
function CopyButton({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<"ready" | "copied" | "refused">("ready");
  useEffect(() => {
    if (state === "ready") return;
    const timer = setTimeout(() => setState("ready"), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState("copied"),
      () => setState("refused"),
    );
  return (
    <>
      <Button kind="quiet" isSmall isIcon aria-label={label} onPress={() => void copy()}>
        {state === "copied" ? <Check size={15} aria-hidden /> : <Copy size={15} aria-hidden />}
      </Button>
      <span className={state === "refused" ? "faint" : "visually-hidden"} aria-live="polite">
        {state === "copied" && "Copied"}
        {state === "refused" && "The browser did not allow it: select the text and copy it"}
      </span>
    </>
  );
}

/** A text that people take elsewhere, such as an id. */
export function CopyText({ text, label }: { text: string; label: string }) {
  return (
    <span className="address">
      <span className="mono">{text}</span>
      <CopyButton {...{ text, label }} />
    </span>
  );
}

/** An address, short enough for a line. What is copied is all of it. */
export function Address({ address, isWhole = false }: { address: string; isWhole?: boolean }) {
  const isShort = isWhole || address.length <= 16;
  return (
    <span className="address">
      <span className="mono" title={address}>
        {isShort ? address : `${address.slice(0, 8)}…${address.slice(-6)}`}
      </span>
      <CopyButton text={address} label={`Copy the address ${address}`} />
    </span>
  );
}
