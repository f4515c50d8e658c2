import CodeInline from "@theme/CodeInline";
import { Fragment } from "react";
import { ScrollingTable } from "../ScrollingTable.tsx";
import { GROUPS, warnings } from "./warnings.ts";

/** Every code of `activity.warnings`, grouped by what goes wrong. */
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
            <th scope="col">Meaning</th>
            <th scope="col">What to do</th>
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
                <td>{meaning}</td>
                <td>{remedy}</td>
              </tr>
            ))}
        </tbody>
      </ScrollingTable>
    </Fragment>
  ));
}
