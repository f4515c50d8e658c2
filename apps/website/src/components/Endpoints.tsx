import Link from "@docusaurus/Link";
import endpoints from "@generated/api-reference/default/endpoints.json";
import CodeInline from "@theme/CodeInline";
import { ScrollingTable } from "./ScrollingTable.tsx";

type Props = { kind: "query" | "submit" };

/** All endpoints of one kind, from the contract. */
export function Endpoints({ kind }: Props) {
  const rows = endpoints.filter((endpoint) => endpoint.kind === kind);
  return (
    <ScrollingTable>
      <thead>
        <tr>
          <th scope="col">Endpoint</th>
          <th scope="col">What it does</th>
          {kind === "submit" && <th scope="col">Activity type</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, summary, type }) => (
          <tr key={name}>
            <td>
              <Link to={`/api#${name}`}>
                <CodeInline>{name}</CodeInline>
              </Link>
            </td>
            <td>{summary}</td>
            {kind === "submit" && (
              <td>
                <CodeInline>{type ?? ""}</CodeInline>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}
