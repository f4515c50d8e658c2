import { columns, oneLine, type Paint, type Report } from "./output.ts";
import type { Pages } from "./pages.ts";

type Column<Item> = readonly [head: string, cell: (item: Item) => string];

/** A list as a table for people, and as it is for programs. */
export function listReport<Item>(
  name: string,
  { items, hasMore }: Pages<Item>,
  { shown, none }: { shown: readonly Column<Item>[]; none: string },
): Report {
  return {
    exitCode: 0,
    json: { [name]: items, hasMore },
    text: (paint) => {
      if (items.length === 0) return none;
      const rows = tableOf(items, shown, paint);
      return [...rows, ...(hasMore ? ["there are more: raise --limit"] : [])].join("\n");
    },
  };
}

export function tableOf<Item>(
  items: readonly Item[],
  shown: readonly Column<Item>[],
  paint: Paint,
): string[] {
  const head = shown.map(([title]) => paint("dim", title));
  return columns([head, ...items.map((item) => shown.map(([, cell]) => oneLine(cell(item))))]);
}

/** Facts with their names, one a line. */
export function factsReport(
  json: unknown,
  facts: readonly (readonly [name: string, value: string])[],
): Report {
  return {
    exitCode: 0,
    json,
    text: (paint) =>
      columns(facts.map(([name, value]) => [paint("dim", name), oneLine(value)])).join("\n"),
  };
}

/** A time of the API. */
export function timeOf({ seconds }: { readonly seconds: string }): string {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().replace(".000Z", "Z");
}
