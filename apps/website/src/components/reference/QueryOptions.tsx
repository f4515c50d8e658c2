import Link from "@docusaurus/Link";
import queries from "@generated/api-reference/default/queries.json";
import CodeInline from "@theme/CodeInline";
import { Prose } from "../Prose.tsx";
import { ScrollingTable } from "../ScrollingTable.tsx";

/** Every field that narrows or extends the answer of a query, from the contract. */
export function QueryOptions() {
  return (
    <ScrollingTable>
      <thead>
        <tr>
          <th scope="col">Query</th>
          <th scope="col">Field</th>
          <th scope="col">What it is</th>
        </tr>
      </thead>
      <tbody>
        {queries.flatMap(({ name, options }) =>
          options.map((field) => (
            <tr key={`${name} ${field.name}`}>
              <td>
                <QueryLink name={name} />
              </td>
              <td>
                <CodeInline>{field.name}</CodeInline>
              </td>
              <td>
                <Prose text={field.description} />
              </td>
            </tr>
          )),
        )}
      </tbody>
    </ScrollingTable>
  );
}

/** The queries that return pages, from the contract. */
export function PagedQueries() {
  return (
    <ul>
      {queries
        .filter(({ isPaged }) => isPaged)
        .map(({ name }) => (
          <li key={name}>
            <QueryLink name={name} />
          </li>
        ))}
    </ul>
  );
}

function QueryLink({ name }: { name: string }) {
  return (
    <Link to={`/api#${name}`}>
      <CodeInline>{name}</CodeInline>
    </Link>
  );
}
