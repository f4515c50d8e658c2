import { Children, cloneElement, isValidElement, type ReactNode } from "react";
import { textOf } from "../text-of.ts";
import { hasWords } from "./words.ts";

type Filtered = { table: ReactNode; shown: number; all: number };

/** A table with only the rows of its body that have every word. */
export function filterRows(table: ReactNode, words: string[]): Filtered {
  const count = { shown: 0, all: 0 };
  function visit(node: ReactNode): ReactNode {
    return Children.map(node, (child) => {
      if (!isValidElement<{ children?: ReactNode }>(child) || child.type === "thead") return child;
      const { children } = child.props;
      if (child.type !== "tbody") return cloneElement(child, {}, visit(children));
      const rows = Children.toArray(children).filter((row) => isValidElement(row));
      const found = rows.filter((row) => hasWords(textOf(row), words));
      count.shown += found.length;
      count.all += rows.length;
      return cloneElement(child, {}, found);
    });
  }
  return { table: visit(table), ...count };
}
