import Link from "@docusaurus/Link";
import Translate from "@docusaurus/Translate";
import groups from "@generated/api-reference/default/kinds.json";
import CodeInline from "@theme/CodeInline";
import type { Kind } from "../../../plugins/api-reference/reference.ts";
import { ScrollingTable } from "../ScrollingTable.tsx";
import styles from "./PolicyTables.module.css";

const kinds: Kind[] = groups.flatMap(([resource, action, kinds]) =>
  kinds.map((kind) => ({
    resource,
    action,
    ...(typeof kind === "string" ? { name: kind } : kind),
  })),
);

/** The values of `activity.resource`, `activity.action` and `activity.kind`, from the contract. */
export function ActivityKinds() {
  return (
    <ScrollingTable>
      <thead>
        <tr>
          <th scope="col">kind</th>
          <th scope="col">resource</th>
          <th scope="col">action</th>
        </tr>
      </thead>
      <tbody>
        {kinds.map(({ name, kind, resource, action, isRootQuorumOnly }) => (
          <tr key={name}>
            <td>
              <Link to={`/api#${name}`}>
                <CodeInline>{kind ?? name.toUpperCase()}</CodeInline>
              </Link>
              {isRootQuorumOnly && (
                <span className={styles.mark}>
                  <Translate id="table.rootQuorumOnly">root quorum only</Translate>
                </span>
              )}
            </td>
            <td>
              <CodeInline>{resource}</CodeInline>
            </td>
            <td>
              <CodeInline>{action}</CodeInline>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}
