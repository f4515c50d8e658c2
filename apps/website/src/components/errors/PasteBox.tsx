import Link from "@docusaurus/Link";
import { useId, useState } from "react";
import styles from "./ErrorList.module.css";
import { anchorOf } from "./error-filter.ts";
import { type Found, findErrors } from "./find-errors.ts";
import { foreignMessages } from "./foreign-messages.ts";
import { type Match, matchMessages } from "./match-messages.ts";
import { useErrorMessages } from "./use-error-messages.ts";

type Props = {
  /** The codes that have an entry. Without them, those that have a message. */
  known?: ReadonlySet<string>;
  /** The page of the entries, unless it is this one. */
  page?: string;
};

/** Finds the entries for whatever a reader has: an answer, a message, a line of a log. The text stays in the page. */
export function PasteBox({ known, page = "" }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  const { messages, load } = useErrorMessages();
  const found = findErrors(text, known ?? new Set(Object.keys(messages)));
  const foreign = found.length === 0 ? foreignMessages(text) : [];
  const alike = found.length + foreign.length === 0 ? matchMessages(text, messages) : [];
  return (
    <>
      <label htmlFor={id}>
        Paste your error
        <textarea
          id={id}
          value={text}
          rows={3}
          placeholder="An answer, a message, or a line of a log"
          autoComplete="off"
          spellCheck={false}
          onFocus={load}
          onChange={(event) => {
            load();
            setText(event.target.value);
          }}
        />
      </label>
      <output htmlFor={id} className={styles.found}>
        {found.map((each) => (
          <Hit key={`${each.code} ${each.field}`} page={page} {...each} />
        ))}
        {foreign.map(({ meaning, to }) => (
          <p key={meaning}>
            {meaning} <Link to={to}>What to look at</Link>
          </p>
        ))}
        {alike.map((each) => (
          <Alike key={each.code} page={page} {...each} />
        ))}
        {text.trim() !== "" && found.length + foreign.length + alike.length === 0 && (
          <p>
            No message of the product looks like this text. Look at the line before it, and in{" "}
            <Link to="/developer-reference/troubleshooting">troubleshooting</Link>.
          </p>
        )}
      </output>
    </>
  );
}

function Hit({ code, field, message, page }: Found & { page: string }) {
  return (
    <p>
      <Link to={`${page}#${anchorOf(code)}`}>{code}</Link>
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

const START = "/developer-reference/troubleshooting#start";

/** A sentence of `START` ends a start, or a command, and has no entry. */
export function Alike({ code, message, page }: Match & { page: string }) {
  return (
    <p>
      {code === "START" ? (
        <Link to={START}>A start that is refused</Link>
      ) : (
        <Link to={`${page}#${anchorOf(code)}`}>{code}</Link>
      )}
      : {message}
    </p>
  );
}
