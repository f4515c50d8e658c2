import Translate, { translate } from "@docusaurus/Translate";
import clsx from "clsx";
import { useEffect, useState } from "react";
import styles from "./CopyButton.module.css";

type Props = { text: string; label: string; className?: string };

/** Copies a text, and reports it on the button and to screen readers. */
export function CopyButton({ text, label, className }: Props) {
  const [outcome, setOutcome] = useState<"copied" | "failed" | null>(null);

  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
    } catch {
      // Browsers block the clipboard outside secure contexts. The reader must see that it failed.
      setOutcome("failed");
    }
  }

  return (
    <button
      type="button"
      className={clsx(styles.button, className)}
      aria-label={translate({ id: "copy.label", message: "Copy {label}" }, { label })}
      onClick={copy}
    >
      <span aria-live="polite">
        {outcome === null && <Translate id="copy.copy">Copy</Translate>}
        {outcome === "copied" && <Translate id="copy.copied">Copied</Translate>}
        {outcome === "failed" && <Translate id="copy.failed">Copy failed</Translate>}
      </span>
    </button>
  );
}
