import { Children, isValidElement, type ReactNode, useId, useMemo, useState } from "react";
import { ErrorReason } from "../ErrorReason.tsx";
import { hasWords, wordsOf } from "../filter/words.ts";
import { textOf } from "../text-of.ts";
import styles from "./ErrorList.module.css";
import { ErrorFilterContext, searchedText } from "./error-filter.ts";
import { matchMessages } from "./match-messages.ts";
import { Alike, PasteBox } from "./PasteBox.tsx";
import { useErrorMessages } from "./use-error-messages.ts";

/** The entries of the page, which readers search, filter by status, or find by an answer they got. */
export function ErrorList({ children }: { children: ReactNode }) {
  const id = useId();
  const [words, setWords] = useState("");
  const [status, setStatus] = useState("");
  const entries = useMemo(() => entriesOf(children), [children]);
  const statuses = [...new Set(entries.flatMap((entry) => entry.statuses))].sort();
  const { messages, load } = useErrorMessages();
  const typed = wordsOf(words.replaceAll("`", ""));
  const isFound = entries.some(
    (entry) =>
      (status === "" ||
        [...entry.statuses, entry.statuses.length === 0 && "none"].includes(status)) &&
      hasWords(searchedText(entry.code, entry.text, messages[entry.code]), typed),
  );
  // A page without entries helps nobody: then all of them stay, below what comes closest.
  const alike = isFound ? [] : matchMessages(words, messages);
  const filter = { words: isFound ? typed : [], status: isFound ? status : "", messages };
  return (
    <div data-filtered={isFound && (words.trim() !== "" || status !== "")} className={styles.list}>
      <search className={styles.finder} aria-label="Errors">
        <div className={styles.row}>
          <label htmlFor={`${id}-words`}>
            Search
            <input
              id={`${id}-words`}
              type="search"
              value={words}
              placeholder="OTP, quorum, nonce…"
              autoComplete="off"
              spellCheck={false}
              onFocus={load}
              onChange={(event) => {
                load();
                setWords(event.target.value);
              }}
            />
          </label>
          <label htmlFor={`${id}-status`}>
            HTTP status
            <select
              id={`${id}-status`}
              value={status}
              onChange={(event) => setStatus(event.target.value)}
            >
              <option value="">all</option>
              {statuses.map((each) => (
                <option key={each}>{each}</option>
              ))}
              <option value="none">none, from the SDK</option>
            </select>
          </label>
        </div>
        {!isFound && (
          <div className={styles.found} role="status">
            <p>No error has all of these words, so all of them are shown.</p>
            {alike.map((each) => (
              <Alike key={each.code} {...each} page="" />
            ))}
          </div>
        )}
        <PasteBox known={new Set(entries.map(({ code }) => code))} />
      </search>
      <ErrorFilterContext value={filter}>{children}</ErrorFilterContext>
    </div>
  );
}

type Entry = { code: string; statuses: string[]; text: string };

function entriesOf(children: ReactNode): Entry[] {
  return Children.toArray(children).flatMap((child) =>
    isValidElement<{ code: string; status?: string; children?: ReactNode }>(child) &&
    child.type === ErrorReason
      ? [
          {
            code: child.props.code,
            statuses: child.props.status?.split(" ") ?? [],
            text: textOf(child.props.children),
          },
        ]
      : [],
  );
}
