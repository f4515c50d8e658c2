import { type ReactNode, useState } from "react";
import { chapters } from "../../verification/chapters.ts";
import { type AnswerKind, kindOf } from "../../verification/requirement.ts";
import { FilterField } from "../filter/FilterField.tsx";
import { wordsOf } from "../filter/words.ts";
import { kinds } from "./kinds.ts";
import { isFiltered, isWanted, RequirementFilterContext } from "./requirement-filter.ts";
import styles from "./Verification.module.css";

const all = chapters.flatMap(({ requirements }) => requirements);

function countOf(kind: AnswerKind): number {
  return all.filter(({ answer }) => kindOf(answer) === kind).length;
}

/** How many requirements have which answer, and a filter of the chapters below. */
export function Verification({ children }: { children: ReactNode }) {
  const [typed, setTyped] = useState("");
  const [kind, setKind] = useState<AnswerKind | null>(null);
  const filter = { words: wordsOf(typed), kind };
  const shown = all.filter((each) => isWanted(each, filter)).length;
  return (
    <div className={styles.chapters} data-filtered={isFiltered(filter)}>
      <p>
        {`Of ${all.length} requirements, tests show ${countOf("tests")}, and pages describe ${countOf("pages")}. Another ${countOf("operator")} are up to you, ${countOf("doesNotApply")} don’t apply, and ${countOf("missing")} are missing, as a whole or in part.`}
      </p>
      <fieldset className={styles.counts} aria-label="Show only">
        {kinds.map((each) => (
          <button
            key={each.kind}
            type="button"
            className={styles.count}
            data-kind={each.kind}
            aria-pressed={kind === each.kind}
            onClick={() => setKind(kind === each.kind ? null : each.kind)}
          >
            <b>{countOf(each.kind)}</b>
            <span>{each.label}</span>
            <small>{each.means}</small>
          </button>
        ))}
      </fieldset>
      <FilterField
        label="Find a requirement"
        placeholder="6.2.1, session, TLS…"
        typed={typed}
        onType={setTyped}
        shown={shown}
        all={all.length}
      />
      <RequirementFilterContext value={filter}>{children}</RequirementFilterContext>
    </div>
  );
}
