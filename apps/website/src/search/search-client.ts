import { useAlgoliaThemeConfig } from "@docusaurus/theme-search-algolia/client";
import type { LiteClient } from "algoliasearch/lite";
import { useState } from "react";
import type { SearchAnswer, SearchRequest } from "./answer.ts";
import { isHosted } from "./hosted.ts";
import { searchLocally } from "./local-client.ts";
import { type SearchSite, useSearchSite } from "./search-site.ts";

/** The one method of the hosted service's client that DocSearch and our page use. */
export type Search = LiteClient["search"];

/** Our search with the interface of the hosted one. */
function localSearch(site: SearchSite): Search {
  const search = async ({ requests }: { requests: SearchRequest[] }) => ({
    results: await searchLocally(requests, site),
  });
  // It answers with the fields that are read.
  return search as unknown as Search;
}

/** The search of the configured backend. */
export function useSearch(): (hosted: Search) => Search {
  const { algolia } = useAlgoliaThemeConfig();
  const site = useSearchSite();
  const [of] = useState(() => {
    const local = localSearch(site);
    return (hosted: Search) => (isHosted(algolia) ? hosted : local);
  });
  return of;
}

/** A search without DocSearch, which brings its client along. */
export function usePlainSearch(): (request: SearchRequest) => Promise<SearchAnswer> {
  const { algolia } = useAlgoliaThemeConfig();
  const of = useSearch();
  const [search] = useState(() => {
    const { appId, apiKey, indexName, searchParameters } = algolia;
    return async (request: SearchRequest) => {
      const hosted: Search = async (...all) => {
        const { liteClient } = await import("algoliasearch/lite");
        return liteClient(appId, apiKey).search(...all);
      };
      const requests = [{ ...searchParameters, ...request, indexName }];
      // Algolia's types have the fields of all its answers. These have been asked for.
      const { results } = (await of(hosted)({ requests } as Parameters<Search>[0])) as unknown as {
        results: SearchAnswer[];
      };
      const [answer] = results;
      if (!answer) throw new Error("the search answered without results");
      return answer;
    };
  });
  return search;
}
