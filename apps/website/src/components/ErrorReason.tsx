import useBrokenLinks from "@docusaurus/useBrokenLinks";
import { type ReactNode, useContext } from "react";
import styles from "./ErrorReason.module.css";
import { anchorOf, ErrorFilterContext, searchedText } from "./errors/error-filter.ts";
import { hasWords } from "./filter/words.ts";
import { textOf } from "./text-of.ts";

type Props = {
  code: string;
  /** The HTTP statuses that it comes with, separated by spaces. The SDK's own errors have none. */
  status?: string;
  children: ReactNode;
};

/** One machine code, with the anchor that the API’s errors link to. */
export function ErrorReason({ code, status, children }: Props) {
  const id = anchorOf(code);
  useBrokenLinks().collectAnchor(id);
  const filter = useContext(ErrorFilterContext);
  const statuses = status?.split(" ") ?? ["none"];
  const isShown =
    (filter.status === "" || statuses.includes(filter.status)) &&
    hasWords(searchedText(code, textOf(children), filter.messages[code]), filter.words);
  return (
    <div id={id} className={styles.reason} hidden={!isShown}>
      <div>
        <a href={`#${id}`} className={styles.code}>
          {code}
        </a>
        {status !== undefined && (
          <span className={styles.status}>HTTP {status.replaceAll(" ", " or ")}</span>
        )}
      </div>
      <div>{children}</div>
    </div>
  );
}
