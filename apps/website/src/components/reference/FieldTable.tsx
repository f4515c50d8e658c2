import reference from "@generated/api-reference/default/reference.json";
import type { Field } from "@site/plugins/api-reference/reference.ts";
import { Prose } from "../Prose.tsx";
import { MadeWhenOpen } from "./MadeWhenOpen.tsx";
import styles from "./reference.module.css";

type Props = { fields: Field[]; caption: string };

export function FieldTable({ fields, caption }: Props) {
  if (fields.length === 0) return <p className={styles.none}>{caption}: no fields.</p>;
  return (
    <table className={styles.fields}>
      <caption>{caption}</caption>
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
              {field.object !== null && <FieldTree name={field.object} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The fields of an object below the field that has it. They are made when a reader opens them, level by level. */
function FieldTree({ name }: { name: string }) {
  const object = objects.get(name);
  if (!object || object.fields.length === 0) return null;
  return (
    <MadeWhenOpen className={styles.tree} summary="Its fields">
      {() => <FieldTable fields={object.fields} caption={name} />}
    </MadeWhenOpen>
  );
}

const objects = new Map(reference.objects.map((object) => [object.name, object]));

/** An operation shows its own parameters and result. Every other object has its own section. */
export function objectAnchor(name: string): string {
  return reference.owners[name] ?? `object-${name}`;
}
