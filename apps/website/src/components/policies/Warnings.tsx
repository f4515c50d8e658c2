import CodeInline from "@theme/CodeInline";
import { Fragment } from "react";
import { Prose } from "../Prose.tsx";
import { ScrollingTable } from "../ScrollingTable.tsx";
import styles from "./PolicyTables.module.css";
import { GROUPS, warnings } from "./warnings.ts";

/** Every code that `activity.warnings` can contain, grouped by what goes wrong. */
export function Warnings() {
  return Object.entries(GROUPS).map(([group, title]) => (
    <Fragment key={group}>
      <p>
        <strong>{title}</strong>
      </p>
      <ScrollingTable>
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">What it means, and what to do</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(warnings)
            .filter(([, warning]) => warning.group === group)
            .map(([code, { meaning, remedy }]) => (
              <tr key={code}>
                <td>
                  <CodeInline>{code}</CodeInline>
                </td>
                <td>
                  <Prose text={meaning} />
                  <span className={styles.remedy}>
                    <Prose text={remedy} />
                  </span>
                </td>
              </tr>
            ))}
        </tbody>
      </ScrollingTable>
    </Fragment>
  ));
}
