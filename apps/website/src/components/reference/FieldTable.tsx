import reference from "@generated/api-reference/default/reference.json";
import type { Field } from "@site/plugins/api-reference/reference.ts";
import { type ToggleEvent, useState } from "react";
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
  const [isOpen, setOpen] = useState(false);
  const object = objects.get(name);
  if (!object || object.fields.length === 0) return null;
  return (
    <details
      className={styles.tree}
      onToggle={(event: ToggleEvent<HTMLDetailsElement>) => {
        // The event of a tree within this one comes here too.
        if (event.target === event.currentTarget) setOpen(event.currentTarget.open);
      }}
    >
      <summary>Its fields</summary>
      {isOpen && <FieldTable fields={object.fields} caption={name} />}
    </details>
  );
}

const objects = new Map(reference.objects.map((object) => [object.name, object]));

/** An operation shows its own parameters and result. Every other object has its own section. */
export function objectAnchor(name: string): string {
  return reference.owners[name] ?? `object-${name}`;
}
