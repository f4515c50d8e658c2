import type { ReactNode } from "react";
import styles from "./inspect.module.css";

type Props = { state: "good" | "bad" | "open"; word: ReactNode; children?: ReactNode };

/** The answer in one word, and why. */
export function VerdictLine({ state, word, children }: Props) {
  return (
    <p className={styles.verdict} data-state={state}>
      <b>{word}</b> <span>{children}</span>
    </p>
  );
}
