import type { Field } from "@site/plugins/api-reference/reference.ts";
import CodeInline from "@theme/CodeInline";
import { Prose } from "../Prose.tsx";
import { ScrollingTable } from "../ScrollingTable.tsx";

type Props = {
  /** A file of the plugin: `@generated/api-reference/default/fields/NAME.json`. */
  fields: Field[];
  /** What the table is about, for those who do not see it under its heading. */
  label: string;
};

/** The fields of one activity type or object in a guide, from the contract. */
export function FieldsOf({ fields, label }: Props) {
  return (
    <ScrollingTable aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Needed</th>
          <th scope="col">What it is</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, required, description }) => (
          <tr key={name}>
            <td>
              <CodeInline>{name}</CodeInline>
            </td>
            <td>{required ? "yes" : "no"}</td>
            <td>
              <Prose text={description} />
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}
