import reference from "@generated/api-reference/default/reference.json";
import type { Field } from "@site/plugins/api-reference/reference.ts";
import { Prose } from "../Prose.tsx";
import styles from "./reference.module.css";

type Props = { fields: Field[]; caption: string };

export function FieldTable({ fields, caption }: Props) {
  if (fields.length === 0) return <p className={styles.none}>{caption}: no fields.</p>;
  return (
    <table className={styles.fields}>
      <caption>{caption}</caption>
      <thead className={styles.head}>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Description</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.name}>
            <th scope="row">
              <code className={styles.name}>{field.name}</code>
              <span className={styles.type}>
                {field.object === null ? (
                  field.type
                ) : (
                  <a href={`#${objectAnchor(field.object)}`}>{field.type}</a>
                )}
              </span>
              {field.required && <span className={styles.required}>required</span>}
            </th>
            <td>
              <Prose text={field.description} />
              {field.values.length > 0 && (
                <span className={styles.values}>
                  {field.values.map((value) => (
                    <code key={value}>{value}</code>
                  ))}
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** An operation shows its own parameters and result. Every other object has its own section. */
export function objectAnchor(name: string): string {
  return reference.owners[name] ?? `object-${name}`;
}
