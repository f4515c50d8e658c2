import { invalid, shorten } from "@keyhearth/engine/errors";
import { isUuid } from "@keyhearth/engine/fields";
import type * as z from "zod";
import type { Pagination } from "../contract/objects.ts";

export type Page = { limit: number; before: string | undefined; after: string | undefined };

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

/** The requested part of a list. An empty text means unset. */
export function parsePagination({ limit, before, after }: z.output<typeof Pagination> = {}): Page {
  return {
    limit: limit ? parseLimit(limit) : DEFAULT_LIMIT,
    before: parseId("paginationOptions.before", before),
    after: parseId("paginationOptions.after", after),
  };
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
