import type { ReactNode } from "react";
import { Link } from "wouter";
import { classes } from "./classes.ts";

export type Column<Row> = {
  name: string;
  cell: (row: Row) => ReactNode;
  /** The column that names the row: it is the link, and on a telephone the head of the row's card. */
  isMain?: boolean;
  isNumber?: boolean;
};

/**
 * A plain table, whose rows may lead to another screen. On narrow screens each row is a card; the roles are spelled out
 * because a table that is laid out differently loses them.
 */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  hrefOf,
}: {
  /** What a reader of the screen hears as its name. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  hrefOf?: (row: Row) => string;
}) {
  return (
    <div className="table-frame">
      {/* biome-ignore-start lint/a11y/noRedundantRoles: as a list of cards, it would no longer be a table */}
      <table className="table" role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, isNumber }) => (
              <th
                key={name}
                role="columnheader"
                scope="col"
                className={classes(isNumber && "table-number")}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map(({ name, cell, isMain, isNumber }) => (
                <td
                  key={name}
                  role="cell"
                  data-label={name}
                  data-main={isMain || undefined}
                  className={classes(isNumber && "table-number")}
                >
                  {isMain && hrefOf ? (
                    <Link href={hrefOf(row)} className="table-link">
                      {cell(row)}
                    </Link>
                  ) : (
                    cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: as above */}
    </div>
  );
}
