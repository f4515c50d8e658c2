import Link from "@docusaurus/Link";
import type { ReactNode } from "react";
import styles from "./TimedPages.module.css";

/** Pages to choose from, each with the time it takes. */
export function TimedPages({ children }: { children: ReactNode }) {
  return <ul className={styles.list}>{children}</ul>;
}

export function TimedPage({
  to,
  title,
  time,
  children,
}: {
  to: string;
  title: string;
  /** Such as "5 minutes". */
  time: string;
  children: ReactNode;
}) {
  return (
    <li>
      <div className={styles.head}>
        <Link to={to}>{title}</Link> <span className={styles.time}>{time}</span>
      </div>
      {children}
    </li>
  );
}
