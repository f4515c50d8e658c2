import Translate, { translate } from "@docusaurus/Translate";
import { type KeyboardEvent, useId, useRef } from "react";
import { Prose } from "../Prose.tsx";
import type { BodyProblem } from "./body-problems.ts";
import { tellFault } from "./sentences.ts";
import styles from "./TryIt.module.css";

type Props = {
  text: string;
  problems: readonly BodyProblem[];
  onChange: (text: string) => void;
  onSend: () => void;
};

/** The body of a request as text, each problem underlined at its place and listed below. */
export function BodyEditor({ text, problems, onChange, onSend }: Props) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);

  function goTo({ from, to }: BodyProblem) {
    box.current?.focus();
    box.current?.setSelectionRange(from, to);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSend();
  }

  return (
    <>
      <label htmlFor={`${id}-body`}>
        <Translate id="tryIt.body">Body, byte for byte</Translate>
      </label>
      <div className={styles.editor}>
        <pre className={styles.marks} aria-hidden="true">
          {markedParts(text, problems).map(({ key, part, isWrong }) =>
            isWrong ? <mark key={key}>{part}</mark> : <span key={key}>{part}</span>,
          )}
          {"\n"}
        </pre>
        <textarea
          ref={box}
          id={`${id}-body`}
          value={text}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          aria-invalid={problems.length > 0}
          aria-describedby={`${id}-problems`}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={`${id}-problems`} aria-live="polite">
        {problems.length > 0 && (
          <ol className={styles.problems} aria-label={countOf(problems.length)}>
            {problems.map((problem) => {
              const sentence = tellFault(problem.fault);
              return (
                <li key={`${problem.from} ${sentence}`}>
                  <button type="button" onClick={() => goTo(problem)}>
                    <Translate
                      id="tryIt.body.place"
                      values={{ line: String(problem.line), column: String(problem.column) }}
                    >
                      {"Line {line}, column {column}"}
                    </Translate>
                  </button>
                  {": "}
                  <Prose text={sentence} />
                </li>
              );
            })}
          </ol>
        )}
      </div>
    </>
  );
}

function countOf(count: number): string {
  return translate(
    { id: "tryIt.body.problems", message: "Problems of the body: {count}" },
    { count: String(count) },
  );
}

/** The text in parts, in its order. Where problems overlap, the first one is marked. */
function markedParts(text: string, problems: readonly BodyProblem[]) {
  const parts: { key: string; part: string; isWrong: boolean }[] = [];
  let end = 0;
  for (const { from, to } of problems) {
    if (from < end) continue;
    parts.push({ key: `${end}`, part: text.slice(end, from), isWrong: false });
    const wrong = /^.*/.exec(text.slice(from, Math.max(to, from + 1)))?.[0] ?? "";
    // At the end of a line there is nothing to underline, so a blank stands there.
    parts.push({ key: `${from} wrong`, part: wrong || " ", isWrong: true });
    end = from + wrong.length;
  }
  parts.push({ key: `${end} rest`, part: text.slice(end), isWrong: false });
  return parts;
}
