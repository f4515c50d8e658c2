import { UnexpectedAnswer } from "@keyhearth/sdk";
import type { Given } from "./command.ts";

/** How many entries a list shows without `--limit`. */
const USUAL = 100;
const MOST = 10_000;
const PAGE = 100;
const MOST_PAGES = 10_000;

export const LIMIT_OPTION = [
  "--limit <number>",
  `how many to show at most (${USUAL}; up to ${MOST})`,
] as const;

export type Pages<Item> = { readonly items: readonly Item[]; readonly hasMore: boolean };

/** Which page to read: so many entries, those that follow the last one. */
export type Cursor = { readonly limit: string; readonly last: string | undefined };

/** Follows the pages of a list, up to the limit of the command line. */
export async function pagesOf<Item>(
  given: Given,
  read: (cursor: Cursor) => Promise<readonly Item[]>,
  idOf: (item: Item) => string,
): Promise<Pages<Item>> {
  const limit = given.count("limit", { least: 1, most: MOST }) ?? USUAL;
  const items: Item[] = [];
  for (;;) {
    const last = items.at(-1);
    // One more than wanted shows whether there are more.
    const wanted = Math.min(PAGE, limit + 1 - items.length);
    const page = await read({ limit: String(wanted), last: last && idOf(last) });
    items.push(...page);
    if (page.length === 0 || (page.length < wanted && items.length <= limit)) {
      return { items, hasMore: false };
    }
    if (items.length > limit) return { items: items.slice(0, limit), hasMore: true };
  }
}

/** Every entry of a list, or every one behind this. Throws if its pages repeat or do not end, as the service would be asked forever. */
export async function* entriesOf<Item>(
  read: (options: { limit: string; after?: string }) => Promise<readonly Item[]>,
  idOf: (item: Item) => string,
  behind?: string,
): AsyncGenerator<Item> {
  const seen = new Set<string>();
  for (let after = behind; ; ) {
    const page = await read({ limit: String(PAGE), ...(after !== undefined && { after }) });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = idOf(last);
    if (seen.has(after) || seen.size === MOST_PAGES) {
      throw new UnexpectedAnswer("the pages of a list do not end", { code: "INVALID_RESPONSE" });
    }
    seen.add(after);
  }
}

/** A list that the service answers as a whole. */
export function cut<Item>(given: Given, all: readonly Item[]): Pages<Item> {
  const limit = given.count("limit", { least: 1, most: MOST }) ?? USUAL;
  return { items: all.slice(0, limit), hasMore: all.length > limit };
}
