import useBrokenLinks from "@docusaurus/useBrokenLinks";
import type { ReactNode } from "react";
import styles from "./ErrorReason.module.css";

type Props = { code: string; children: ReactNode };

/** One machine code, with the anchor that the API’s errors link to. */
export function ErrorReason({ code, children }: Props) {
  const id = code.toLowerCase().replaceAll("_", "-");
  useBrokenLinks().collectAnchor(id);
  return (
    <div id={id} className={styles.reason}>
      <a href={`#${id}`} className={styles.code}>
        {code}
      </a>
      <div>{children}</div>
    </div>
  );
}
