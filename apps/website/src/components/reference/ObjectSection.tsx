import type { ObjectSchema } from "@site/plugins/api-reference/reference.ts";
import { Prose } from "../Prose.tsx";
import { useBrokenLinksAnchor } from "./anchors.ts";
import { FieldTable, objectAnchor } from "./FieldTable.tsx";
import styles from "./reference.module.css";

type Props = { schema: ObjectSchema };

export function ObjectSection({ schema }: Props) {
  const { name, description, fields, values } = schema;
  const anchor = objectAnchor(name);
  useBrokenLinksAnchor(anchor);
  return (
    <section id={anchor} className={styles.operation} aria-labelledby={`${anchor}-title`}>
      <h3 id={`${anchor}-title`} className={styles.title}>
        <a href={`#${anchor}`}>
          <code>{name}</code>
        </a>
      </h3>
      {description !== "" && (
        <p>
          <Prose text={description} />
        </p>
      )}
      {fields.length > 0 && <FieldTable fields={fields} caption="Fields" />}
      {values.length > 0 && (
        <p className={styles.values}>
          {values.map((value) => (
            <code key={value}>{value}</code>
          ))}
        </p>
      )}
    </section>
  );
}
