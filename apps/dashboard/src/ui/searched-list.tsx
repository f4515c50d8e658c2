import { type ReactNode, useState } from "react";
import { Pager } from "./pager.tsx";
import { hasText, SearchBox } from "./search-box.tsx";

const PAGE = 50;

/** A list that the service gives as a whole: it is searched here, and shown in pages. */
export function SearchedList<Item>({
  items,
  textsOf,
  label,
  placeholder,
  filter,
  children,
}: {
  /** Those that a filter beside the search leaves. */
  items: readonly Item[];
  /** In which texts of an item people search. */
  textsOf: (item: Item) => readonly (string | undefined)[];
  label: string;
  placeholder: string;
  filter?: ReactNode;
  /** The page that is shown, and what was typed. An empty page means that nothing was found. */
  children: (page: readonly Item[], sought: string) => ReactNode;
}) {
  const [text, setText] = useState("");
  const [chosen, choose] = useState(1);
  const found = items.filter((item) => hasText(text, ...textsOf(item)));
  // A filter may leave fewer pages than there were.
  const number = Math.min(chosen, Math.max(1, Math.ceil(found.length / PAGE)));
  const first = (number - 1) * PAGE;
  return (
    <>
      <div className="search-row">
        <SearchBox
          {...{ label, placeholder }}
          value={text}
          onChange={(next) => {
            setText(next);
            choose(1);
          }}
        />
        {filter}
      </div>
      {children(found.slice(first, first + PAGE), text.trim())}
      <Pager
        number={number}
        hasNext={first + PAGE < found.length}
        next={() => choose(number + 1)}
        previous={() => choose(number - 1)}
      />
    </>
  );
}
