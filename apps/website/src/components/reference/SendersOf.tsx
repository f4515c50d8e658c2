import Link from "@docusaurus/Link";
import CodeInline from "@theme/CodeInline";
import { ScrollingTable } from "../ScrollingTable.tsx";
import { PermissionOf, permissionOf } from "./PermissionOf.tsx";
import { phrasesOf } from "./senders.ts";

type Props = { calls: string[] };

/** Who may send each call and what a policy names to allow it, from the contract. */
export function SendersOf({ calls }: Props) {
  return (
    <ScrollingTable>
      <thead>
        <tr>
          <th scope="col">Call</th>
          <th scope="col">Permission</th>
          <th scope="col">Who may send it</th>
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
            <td>{phrasesOf(permissionOf(call)).join("; ")}</td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}
