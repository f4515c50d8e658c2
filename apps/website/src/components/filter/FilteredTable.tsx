import { type ReactNode, useState } from "react";
import { FilterField } from "./FilterField.tsx";
import { filterRows } from "./filter-rows.ts";
import { wordsOf } from "./words.ts";

type Props = {
  /** What the field finds. */
  label: string;
  placeholder: string;
  children: ReactNode;
};

/** A table of a page with a field that leaves only the rows with the typed words. Without scripts all rows are there. */
export function FilteredTable({ label, placeholder, children }: Props) {
  const [typed, setTyped] = useState("");
  const { table, shown, all } = filterRows(children, wordsOf(typed));
  return (
    <>
      <FilterField {...{ label, placeholder, typed, shown, all }} onType={setTyped} />
      {table}
    </>
  );
}
