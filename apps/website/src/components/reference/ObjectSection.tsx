import type { ObjectSchema } from "@site/plugins/api-reference/reference.ts";
import { memo } from "react";
import { Prose } from "../Prose.tsx";
import { useBrokenLinksAnchor } from "./anchors.ts";
import { FieldTable, objectAnchor } from "./FieldTable.tsx";
import { Fold } from "./Fold.tsx";
import styles from "./reference.module.css";

type Props = {
  schema: ObjectSchema;
  isOpen: boolean;
  onOpen: (name: string, isOpen: boolean) => void;
};

export const ObjectSection = memo(({ schema, isOpen, onOpen }: Props) => {
  const { name, description, fields, values } = schema;
  const anchor = objectAnchor(name);
  useBrokenLinksAnchor(anchor);
  return (
    <Fold
      id={anchor}
      level="h3"
      title={<code>{name}</code>}
      isOpen={isOpen}
      onOpen={(isOpen) => onOpen(name, isOpen)}
    >
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
    </Fold>
  );
});
