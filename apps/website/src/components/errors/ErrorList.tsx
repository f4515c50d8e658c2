import { Children, isValidElement, type ReactNode, useId, useMemo, useState } from "react";
import { ErrorReason } from "../ErrorReason.tsx";
import { wordsOf } from "../filter/words.ts";
import styles from "./ErrorList.module.css";
import { anchorOf, ErrorFilterContext } from "./error-filter.ts";
import { type Found, findErrors } from "./find-errors.ts";

/** The entries of the page, which readers search, filter by status, or find by an answer they got. */
export function ErrorList({ children }: { children: ReactNode }) {
  const id = useId();
  const [words, setWords] = useState("");
  const [status, setStatus] = useState("");
  const entries = useMemo(() => entriesOf(children), [children]);
  const statuses = [...new Set(entries.flatMap((entry) => entry.statuses))].sort();
  const filter = { words: wordsOf(words), status };
  return (
    <div data-filtered={words.trim() !== "" || status !== ""} className={styles.list}>
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
              onChange={(event) => setWords(event.target.value)}
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
        <PasteBox known={new Set(entries.map(({ code }) => code))} />
      </search>
      <ErrorFilterContext value={filter}>{children}</ErrorFilterContext>
    </div>
  );
}

/** Finds the entries for an answer or a log. The text stays in the page. */
function PasteBox({ known }: { known: ReadonlySet<string> }) {
  const id = useId();
  const [text, setText] = useState("");
  const found = findErrors(text, known);
  return (
    <>
      <label htmlFor={id}>
        Paste your error
        <textarea
          id={id}
          value={text}
          rows={3}
          placeholder='{"code":3,"message":"…","details":[…]}'
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <output htmlFor={id} className={styles.found}>
        {found.map((each) => (
          <Hit key={`${each.code} ${each.field}`} {...each} />
        ))}
        {text.trim() !== "" && found.length === 0 && (
          <p>There is no machine code in this text. Paste the whole body of the answer.</p>
        )}
      </output>
    </>
  );
}

function Hit({ code, field, message }: Found) {
  return (
    <p>
      <a href={`#${anchorOf(code)}`}>{code}</a>
      {field !== undefined && (
        <>
          {" "}
          in <code>{field}</code>
        </>
      )}
      {message !== undefined && `: ${message}`}
    </p>
  );
}

function entriesOf(children: ReactNode): { code: string; statuses: string[] }[] {
  return Children.toArray(children).flatMap((child) =>
    isValidElement<{ code: string; status?: string }>(child) && child.type === ErrorReason
      ? [{ code: child.props.code, statuses: child.props.status?.split(" ") ?? [] }]
      : [],
  );
}
