import { Children, cloneElement, isValidElement, type ReactElement, type ReactNode } from "react";
import { textOf } from "../text-of.ts";

type Parent = ReactElement<{ children?: ReactNode }>;

/** The texts of the cells of each row of a table's body. */
export function cellsOf(table: ReactNode): string[][] {
  const found: string[][] = [];
  visitRows(table, (row) => {
    found.push(cellsIn(row));
    return [row];
  });
  return found;
}

/** The table with a row of a class below each row of its body, where there is something to show. */
export function rowsBelow(
  table: ReactNode,
  className: string | undefined,
  below: (cells: string[]) => ReactNode,
): ReactNode {
  return visitRows(table, (row) => {
    const cells = cellsIn(row);
    const content = below(cells);
    if (!content) return [row];
    return [
      row,
      <tr key={`${row.key} below`} className={className}>
        <td colSpan={cells.length}>{content}</td>
      </tr>,
    ];
  });
}

function visitRows(node: ReactNode, visit: (row: Parent) => ReactNode[]): ReactNode {
  return Children.map(node, (child) => {
    if (!isParent(child) || child.type === "thead") return child;
    const { children } = child.props;
    if (child.type !== "tbody") return cloneElement(child, {}, visitRows(children, visit));
    return cloneElement(child, {}, Children.toArray(children).filter(isParent).flatMap(visit));
  });
}

function cellsIn({ props: { children } }: Parent): string[] {
  return Children.toArray(children).filter(isParent).map(textOf);
}

function isParent(node: ReactNode): node is Parent {
  return isValidElement(node);
}
