import Link from "@docusaurus/Link";
import { translate } from "@docusaurus/Translate";
import useBrokenLinks from "@docusaurus/useBrokenLinks";
import type { ReactNode } from "react";
import { textOf } from "../text-of.ts";
import styles from "./Term.module.css";

/** A term in a table, which other pages can link to as to a heading. */
export function Term({ id, children }: { id: string; children: ReactNode }) {
  useBrokenLinks().collectAnchor(id);
  const title = translate(
    { id: "theme.common.headingLinkTitle", message: "Direct link to {heading}" },
    { heading: textOf(children) },
  );
  return (
    <dfn id={id} className={styles.term}>
      {children}
      <Link className="hash-link" to={`#${id}`} aria-label={title} title={title} translate="no">
        &#8203;
      </Link>
    </dfn>
  );
}
