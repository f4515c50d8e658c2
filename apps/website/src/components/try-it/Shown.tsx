import { CopyButton } from "../CopyButton.tsx";
import styles from "./TryIt.module.css";

type Props = { title: string; text: string; isOpen?: boolean };

/** A text that readers open and copy. */
export function Shown({ title, text, isOpen = false }: Props) {
  return (
    <details className={styles.shown} open={isOpen}>
      <summary>{title}</summary>
      <CopyButton text={text} label={title} className={styles.copy} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be focusable */}
      <pre className={styles.code} tabIndex={0}>
        {text}
      </pre>
    </details>
  );
}
