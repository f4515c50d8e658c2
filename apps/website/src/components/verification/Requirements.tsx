import Link from "@docusaurus/Link";
import useBrokenLinks from "@docusaurus/useBrokenLinks";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { Fragment, useContext } from "react";
import { chapters } from "../../verification/chapters.ts";
import {
  type Answer,
  anchorOf,
  kindOf,
  pagesOf,
  type Requirement,
  testsOf,
  textOf,
} from "../../verification/requirement.ts";
import { Prose } from "../Prose.tsx";
import { labelOf } from "./kinds.ts";
import styles from "./Requirements.module.css";
import { isFiltered, isWanted, RequirementFilterContext } from "./requirement-filter.ts";

/** The requirements of a chapter, each with its answer. */
export function Requirements({ chapter }: { chapter: string }) {
  const filter = useContext(RequirementFilterContext);
  const { title, requirements } = chapterOf(chapter);
  const wanted = requirements.filter((each) => isWanted(each, filter));
  if (wanted.length === 0) return null;
  // While readers filter, headings are hidden, because many chapters are empty.
  const hasHeading = !isFiltered(filter);
  return (
    <table className={styles.table} aria-labelledby={hasHeading ? chapter : undefined}>
      {!hasHeading && <caption className={styles.caption}>{title}</caption>}
      <thead>
        <tr>
          <th scope="col">Number</th>
          <th scope="col">What it asks for, and the answer</th>
        </tr>
      </thead>
      <tbody>
        {wanted.map((each) => (
          <Row key={each.number} requirement={each} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ requirement }: { requirement: Requirement }) {
  const { number, level, asks, answer } = requirement;
  const id = anchorOf(requirement);
  useBrokenLinks().collectAnchor(id);
  return (
    <tr id={id} className={styles.row}>
      <th scope="row">
        <a href={`#${id}`}>{number}</a> {level && <small>{`Level ${level}`}</small>}
      </th>
      <td>
        <p className={styles.asks}>{asks}</p>
        {textOf(answer) !== undefined && (
          <p className={styles.answer}>
            <Kind answer={answer} /> <AnswerText answer={answer} />
          </p>
        )}
        <Tests answer={answer} />
      </td>
    </tr>
  );
}

function Kind({ answer }: { answer: Answer }) {
  const kind = kindOf(answer);
  return (
    <strong className={styles.kind} data-kind={kind}>
      {labelOf(kind)}
    </strong>
  );
}

function AnswerText({ answer }: { answer: Answer }) {
  const text = textOf(answer) ?? "";
  const pages = pagesOf(answer);
  return (
    <>
      <Prose text={text} />
      {pages.length > 0 && " See "}
      {pages.map(({ title, to }, index) => (
        <Fragment key={to}>
          {index > 0 && ", "}
          <Link to={to}>{title}</Link>
        </Fragment>
      ))}
      {pages.length > 0 && "."}
    </>
  );
}

/** Without a note, they are the whole answer. */
function Tests({ answer }: { answer: Answer }) {
  const { customFields } = useDocusaurusContext().siteConfig;
  const tests = testsOf(answer);
  if (tests.length === 0) return null;
  const count = tests.reduce((sum, { names }) => sum + names.length, 0);
  return (
    <details className={styles.tests}>
      <summary>
        {textOf(answer) === undefined && (
          <>
            <Kind answer={answer} />{" "}
          </>
        )}
        {count === 1 ? "1 test" : `${count} tests`}
      </summary>
      <ul>
        {tests.map(({ file, names }) => (
          <li key={file}>
            <a href={`${customFields?.repository}/blob/main/${file}`}>{file}</a>{" "}
            {names.map((name) => `“${name}”`).join("; ")}
          </li>
        ))}
      </ul>
    </details>
  );
}

function chapterOf(wanted: string) {
  const chapter = chapters.find(({ id }) => id === wanted);
  if (!chapter) throw new Error(`there is no chapter \`${wanted}\``);
  return chapter;
}
