import type { ReactNode } from "react";
import { CopyButton } from "../CopyButton.tsx";
import styles from "./inspect.module.css";

export type Fact = {
  term: ReactNode;
  value: ReactNode;
  /** What the button copies, and what it calls it. Without it there is no button. */
  copy?: { text: string; label: string };
  /** What a reader should know of it. */
  note?: ReactNode;
};

/** What something is made of: terms and their values. */
export function Facts({ title, facts }: { title: string; facts: readonly Fact[] }) {
  return (
    <section className={styles.facts}>
      <h3>{title}</h3>
      <dl>
        {facts.map(({ term, value, copy, note }, index) => (
          // The facts of one thing never change their order.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <div key={index}>
            <dt>
              {term} {copy && <CopyButton {...copy} />}
            </dt>
            <dd>
              {value}
              {note && <span className={styles.note}>{note}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
