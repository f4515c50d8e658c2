import "@docsearch/css/dist/_variables.css";
import "@docsearch/css/dist/modal.css";
import "./window.css";
import { DocSearchModal } from "@docsearch/react";
import Link from "@docusaurus/Link";
import Translate, { translate } from "@docusaurus/Translate";
import { useSearchLinkCreator } from "@docusaurus/theme-common";
import { mergeFacetFilters, useAlgoliaThemeConfig } from "@docusaurus/theme-search-algolia/client";
import { useContextualTags, useFacets } from "@site/src/search/facets.ts";
import { isHosted } from "@site/src/search/hosted.ts";
import { useMissingResultsUrl } from "@site/src/search/missing-results.ts";
import { ResultLink } from "@site/src/search/ResultLink.tsx";
import { useFollowResult } from "@site/src/search/result-links.ts";
import { useSearch } from "@site/src/search/search-client.ts";
import translations from "@theme/SearchTranslations";
import { type ComponentProps, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";

type ModalProps = ComponentProps<typeof DocSearchModal>;
type FooterProps = ComponentProps<NonNullable<ModalProps["resultsFooterComponent"]>>;

/** DocSearch's window with the search of this site. */
export function SearchWindow({ onClose }: { onClose: () => void }) {
  const { algolia } = useAlgoliaThemeConfig();
  const { appId, apiKey, indexName, searchPagePath, contextualSearch } = algolia;
  const facets = useFacets(useContextualTags());
  const follow = useFollowResult();
  const search = useSearch();
  const missingResultsUrl = useMissingResultsUrl();
  // DocSearch begins again whenever one of these is another one.
  const [fixed] = useState(() => ({
    navigator: { navigate: ({ itemUrl }: { itemUrl: string }) => follow(itemUrl) },
    transformSearchClient: ((client) => ({
      ...client,
      search: search(client.search),
    })) satisfies ModalProps["transformSearchClient"],
    searchParameters: {
      ...algolia.searchParameters,
      facetFilters: contextualSearch
        ? mergeFacetFilters(facets, algolia.searchParameters?.facetFilters)
        : algolia.searchParameters?.facetFilters,
    } as ModalProps["searchParameters"],
  }));
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => describe(box.current), []);

  return createPortal(
    <div ref={box} className="search-window" data-hosted={isHosted(algolia)}>
      <DocSearchModal
        {...{ appId, apiKey, indexName, ...fixed }}
        onClose={onClose}
        initialScrollY={window.scrollY}
        placeholder={translations.placeholder}
        translations={translations.modal}
        hitComponent={Hit}
        getMissingResultsUrl={({ query }) => missingResultsUrl(query)}
        {...(searchPagePath && {
          resultsFooterComponent: ({ state }: FooterProps) => (
            <SeeAll query={state.query} count={Number(state.context.nbHits)} onClose={onClose} />
          ),
        })}
      />
    </div>,
    document.body,
  );
}

const Hit: ModalProps["hitComponent"] = ({ hit, children }) => (
  <ResultLink url={hit.url}>{children}</ResultLink>
);

type SeeAllProps = { query: string; count: number; onClose: () => void };

function SeeAll({ query, count, onClose }: SeeAllProps) {
  const linkTo = useSearchLinkCreator();
  return (
    <Link to={linkTo(query)} onClick={onClose}>
      <Translate id="search.seeAll" values={{ count }}>
        {"See all {count} results"}
      </Translate>
    </Link>
  );
}

/** DocSearch calls the whole window a button, which screen readers would read as one. */
function describe(box: HTMLElement | null) {
  const container = box?.querySelector(".DocSearch-Container");
  container?.setAttribute("role", "dialog");
  container?.setAttribute("aria-modal", "true");
  container?.setAttribute("aria-label", translate({ id: "search.label", message: "Search" }));
  container?.setAttribute("tabindex", "-1");
  for (const name of ["aria-expanded", "aria-haspopup", "aria-owns", "aria-labelledby"]) {
    container?.removeAttribute(name);
  }
}
