import { useLocation } from "@docusaurus/router";
import useBrokenLinks from "@docusaurus/useBrokenLinks";
import { type ReactNode, useEffect, useState } from "react";
import styles from "./Question.module.css";

type Props = { id: string; title: string; children: ReactNode };

/** A question that opens on a click, or when its link is followed. */
export function Question({ id, title, children }: Props) {
  useBrokenLinks().collectAnchor(id);
  const { hash } = useLocation();
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    if (hash === `#${id}`) setIsOpen(true);
  }, [hash, id]);
  return (
    <details
      id={id}
      className={styles.question}
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>
        <h3>{title}</h3>
      </summary>
      {children}
      <a href={`#${id}`} className={styles.link} aria-label={`Link to “${title}”`}>
        Link to this answer
      </a>
    </details>
  );
}
