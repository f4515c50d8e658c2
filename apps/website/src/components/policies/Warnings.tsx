import Translate, { translate } from "@docusaurus/Translate";
import type { LintCode } from "@keyhearth/policy/advice/lints";
import CodeInline from "@theme/CodeInline";
import { Fragment } from "react";
import { Prose } from "../Prose.tsx";
import { ScrollingTable } from "../ScrollingTable.tsx";
import styles from "./PolicyTables.module.css";
import { warningTexts } from "./warning-texts.ts";
import { type Group, groups } from "./warnings.ts";

const titles: Record<Group, string> = {
  rights: translate({
    id: "warnings.rights",
    message: "The policy allows more than it seems to",
  }),
  denials: translate({
    id: "warnings.denials",
    message: "The DENY doesn’t deny, or denies too much",
  }),
  errors: translate({ id: "warnings.errors", message: "The expression fails with an error" }),
  never: translate({ id: "warnings.never", message: "The policy has no effect" }),
  values: translate({
    id: "warnings.values",
    message: "The policy compares with the wrong value",
  }),
};

// The type of the record has exactly the codes as keys.
const codes = Object.keys(groups) as LintCode[];

/** Every code that `activity.warnings` can contain, grouped by what goes wrong. */
export function Warnings() {
  return Object.entries(titles).map(([group, title]) => (
    <Fragment key={group}>
      <p>
        <strong>{title}</strong>
      </p>
      <ScrollingTable>
        <thead>
          <tr>
            <th scope="col">
              <Translate id="warnings.code">Code</Translate>
            </th>
            <th scope="col">
              <Translate id="warnings.meaning">What it means, and what to do</Translate>
            </th>
          </tr>
        </thead>
        <tbody>
          {codes
            .filter((code) => groups[code] === group)
            .map((code) => (
              <tr key={code}>
                <td>
                  <CodeInline>{code}</CodeInline>
                </td>
                <td>
                  <Prose text={warningTexts[code].meaning} />
                  <span className={styles.remedy}>
                    <Prose text={warningTexts[code].remedy} />
                  </span>
                </td>
              </tr>
            ))}
        </tbody>
      </ScrollingTable>
    </Fragment>
  ));
}
