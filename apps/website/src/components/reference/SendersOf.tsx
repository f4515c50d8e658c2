import Link from "@docusaurus/Link";
import CodeInline from "@theme/CodeInline";
import { ScrollingTable } from "../ScrollingTable.tsx";
import { PermissionOf, permissionOf } from "./PermissionOf.tsx";
import { forOneself } from "./senders.ts";

type Props = { calls: string[] };

/** What a policy names to allow each call, and who else may send it, from the contract. */
export function SendersOf({ calls }: Props) {
  return (
    <ScrollingTable>
      <thead>
        <tr>
          <th scope="col">Call</th>
          <th scope="col">Permission</th>
          <th scope="col">From the parent, for a sub-organization</th>
          <th scope="col">For oneself</th>
        </tr>
      </thead>
      <tbody>
        {calls.map((call) => (
          <tr key={call}>
            <td>
              <Link to={`/api#${call}`}>
                <CodeInline>{call}</CodeInline>
              </Link>
            </td>
            <td>
              <PermissionOf call={call} />
            </td>
            <td>{permissionOf(call).by.includes("parent's user") ? "yes" : "no"}</td>
            <td>{forOneself(permissionOf(call))}</td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}
