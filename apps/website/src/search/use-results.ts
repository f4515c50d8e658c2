import { useEffect, useState } from "react";
import type { Hit } from "./answer.ts";
import type { Facets } from "./facets.ts";
import { marks } from "./marked.tsx";
import { usePlainSearch } from "./search-client.ts";

/** What the page shows of a search. */
export type Results =
  | { state: "idle" }
  | { state: "failed" }
  | { state: "found"; query: string; hits: Hit[]; count: number; hasMore: boolean };

const PER_PAGE = 15;

/** The hosted service is not asked for each letter of a word. */
const PAUSE_MS = 150;

const IDLE: Results = { state: "idle" };

/** Searches a moment after the last change. What was found stays until there is something new. */
export function useResults(query: string, facetFilters: Facets | undefined) {
  const search = usePlainSearch();
  const [results, setResults] = useState<Results>(IDLE);
  const [pages, setPages] = useState({ query, count: 1 });
  const filters = JSON.stringify(facetFilters);
  const count = pages.query === query ? pages.count : 1;
  useEffect(() => {
    if (query.trim() === "") {
      setResults(IDLE);
      return;
    }
    let isCurrent = true;
    const request = {
      query,
      hitsPerPage: count * PER_PAGE,
      page: 0,
      ...(filters !== undefined && { facetFilters: JSON.parse(filters) }),
      ...marks,
      attributesToSnippet: ["content:30"],
      snippetEllipsisText: "…",
    };
    const timer = setTimeout(async () => {
      const found = await search(request).then(
        ({ hits, nbHits }): Results => ({
          state: "found",
          query,
          hits,
          count: nbHits,
          hasMore: hits.length < nbHits,
        }),
        (): Results => ({ state: "failed" }),
      );
      if (isCurrent) setResults(found);
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [query, filters, count, search]);
  return { results, showMore: () => setPages({ query, count: count + 1 }) };
}
