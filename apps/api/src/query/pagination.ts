import { checkAll, invalid, shorten } from "@keyhearth/engine/errors";
import { isUuid } from "@keyhearth/engine/fields/schemas";
import type * as z from "zod";
import type { Pagination } from "../wire/objects.ts";

export type Page = { limit: number; before: string | undefined; after: string | undefined };

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

/** The requested part of a list. An empty text means unset. */
export function parsePagination({ limit, before, after }: z.output<typeof Pagination> = {}): Page {
  const page: Page = { limit: DEFAULT_LIMIT, before: undefined, after: undefined };
  checkAll(
    () => {
      if (limit) page.limit = parseLimit(limit);
    },
    () => {
      page.before = parseId("paginationOptions.before", before);
    },
    () => {
      page.after = parseId("paginationOptions.after", after);
    },
  );
  return page;
}

/** Refuses a `before` or `after` that names nothing in the list. */
export async function assertCursors(
  { before, after }: Page,
  noun: string,
  exists: (id: string) => Promise<boolean>,
) {
  for (const [name, id] of Object.entries({ before, after })) {
    if (id !== undefined && !(await exists(id))) throw unknownCursor(name, noun, id);
  }
}

export function unknownCursor(name: string, noun: string, id: string) {
  const field = `paginationOptions.${name}`;
  return invalid(
    field,
    `\`${field}\` must be the id of an object in the list: this organization has no ${noun} \`${id}\``,
  );
}

function parseLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw invalid(
    "paginationOptions.limit",
    `\`paginationOptions.limit\` must be a string from "1" to "${MAX_LIMIT}", got \`${shorten(text)}\``,
  );
}

function parseId(field: string, id: string | undefined): string | undefined {
  if (!id) return undefined;
  if (isUuid(id)) return id;
  throw invalid(
    field,
    `\`${field}\` must be the id of an object in the list, a UUID in lower case, got \`${shorten(id)}\``,
  );
}
