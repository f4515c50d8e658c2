import Link from "@docusaurus/Link";
import Translate from "@docusaurus/Translate";
import activities from "@generated/api-reference/default/activities.json";
import CodeInline from "@theme/CodeInline";
import { ScrollingTable } from "../ScrollingTable.tsx";
import styles from "./PolicyTables.module.css";

/** The values of `activity.resource`, `activity.action` and `activity.kind`, from the contract. */
export function ActivityKinds() {
  const rows = activities
    .filter(({ policy }) => policy)
    .sort((a, b) => sortKey(a).localeCompare(sortKey(b)));
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
        {rows.map(({ name, policy, kinds, isRootQuorumOnly }) => (
          <tr key={name}>
            <td>
              <Link to={`/api#${name}`}>
                <CodeInline>{kinds[0]}</CodeInline>
              </Link>
              {isRootQuorumOnly && (
                <span className={styles.mark}>
                  <Translate id="table.rootQuorumOnly">root quorum only</Translate>
                </span>
              )}
            </td>
            <td>
              <CodeInline>{policy?.resource ?? ""}</CodeInline>
            </td>
            <td>
              <CodeInline>{policy?.action ?? ""}</CodeInline>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}

function sortKey({ policy, name }: (typeof activities)[number]): string {
  return `${policy?.resource} ${policy?.action} ${name}`;
}
