import Translate from "@docusaurus/Translate";
import { type ReactNode, useId, useState } from "react";
import styles from "./inspect.module.css";
import { hasPrivatePart } from "./private-parts.ts";

type Props = {
  label: ReactNode;
  value: string;
  rows: number;
  onChange: (value: string) => void;
  /** What is wrong with the text, in one sentence. */
  fault?: ReactNode;
  hint?: ReactNode;
};

/** A field for public parts. What may be private never becomes a part of the page if it is pasted, and is removed at once if it is typed. */
export function PublicField({ label, value, rows, onChange, fault, hint }: Props) {
  const id = useId();
  const [isRefused, setRefused] = useState(false);

  function take(text: string): boolean {
    const isPrivate = hasPrivatePart(text);
    setRefused(isPrivate);
    onChange(isPrivate ? "" : text);
    return isPrivate;
  }

  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        value={value}
        rows={rows}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        aria-describedby={`${id}-fault`}
        aria-invalid={isRefused || Boolean(fault)}
        onPaste={(event) => {
          if (!hasPrivatePart(event.clipboardData.getData("text"))) return;
          event.preventDefault();
          setRefused(true);
          onChange("");
        }}
        onChange={(event) => {
          // React does not write the box again if the state was empty before.
          if (take(event.target.value)) event.target.value = "";
        }}
      />
      {hint && <p className={styles.hint}>{hint}</p>}
      <div id={`${id}-fault`} role="alert">
        {isRefused ? (
          <p className={styles.fault}>
            <Translate id="inspect.private">
              This may be a private key, or contain one, so the page did not take it and has
              forgotten it: paste only public parts here. If anybody else could see it, replace the
              key.
            </Translate>
          </p>
        ) : (
          fault && <p className={styles.fault}>{fault}</p>
        )}
      </div>
    </div>
  );
}
