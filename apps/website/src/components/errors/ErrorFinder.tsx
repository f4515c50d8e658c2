import styles from "./ErrorList.module.css";
import { PasteBox } from "./PasteBox.tsx";

/** Finds the entry of an error, on pages other than that of the errors. */
export function ErrorFinder() {
  return (
    <search className={styles.finder} aria-label="Errors">
      <PasteBox page="/developer-reference/api-overview/errors" />
    </search>
  );
}
