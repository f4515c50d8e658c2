import Link from "@docusaurus/Link";
import Translate from "@docusaurus/Translate";
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
          <th scope="col">
            <Translate id="table.endpoint">Endpoint</Translate>
          </th>
          <th scope="col">
            <Translate id="table.purpose">What it does</Translate>
          </th>
          {kind === "submit" && (
            <th scope="col">
              <Translate id="table.activityType">Activity type</Translate>
            </th>
          )}
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
