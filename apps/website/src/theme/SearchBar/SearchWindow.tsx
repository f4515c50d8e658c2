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
import { type Search, useSearch } from "@site/src/search/search-client.ts";
import translations from "@theme/SearchTranslations";
import { type ComponentProps, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { isShortcut } from "./shortcut.ts";

type ModalProps = ComponentProps<typeof DocSearchModal>;
type FooterProps = ComponentProps<NonNullable<ModalProps["resultsFooterComponent"]>>;

/** DocSearch's window with the search of this site. */
export function SearchWindow({ onClose }: { onClose: () => void }) {
  const { algolia } = useAlgoliaThemeConfig();
  const { appId, apiKey, indexName, searchPagePath, contextualSearch } = algolia;
  const facets = useFacets(useContextualTags());
  const follow = useFollowResult();
  const { isFailing, watch } = useFailures();
  const search = useSearch();
  const missingResultsUrl = useMissingResultsUrl();
  // DocSearch begins again whenever one of these is another one.
  const [fixed] = useState(() => ({
    navigator: { navigate: ({ itemUrl }: { itemUrl: string }) => follow(itemUrl) },
    transformSearchClient: ((client) => ({
      ...client,
      search: watch(search(client.search)),
    })) satisfies ModalProps["transformSearchClient"],
    searchParameters: {
      ...algolia.searchParameters,
      facetFilters: contextualSearch
        ? mergeFacetFilters(facets, algolia.searchParameters?.facetFilters)
        : algolia.searchParameters?.facetFilters,
    } as ModalProps["searchParameters"],
  }));
  const [box, setBox] = useState<HTMLElement | null>(null);
  useEffect(() => (box === null ? undefined : describe(box)), [box]);
  useEffect(() => {
    function press(event: KeyboardEvent) {
      if (event.key !== "Escape" && !isShortcut(event)) return;
      event.preventDefault();
      onClose();
    }
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [onClose]);
  const dropdown = box?.querySelector(".DocSearch-Dropdown");

  return createPortal(
    <div
      ref={setBox}
      className="search-window"
      data-hosted={isHosted(algolia)}
      data-failing={isFailing}
    >
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
      {isFailing && dropdown && createPortal(<Failure />, dropdown)}
      {dropdown && createPortal(<AskInstead box={box} onClose={onClose} />, dropdown)}
    </div>,
    document.body,
  );
}

// Arrows choose a result, and the tab key goes past them.
const Hit: ModalProps["hitComponent"] = ({ hit, children }) => (
  <ResultLink url={hit.url} tabIndex={-1}>
    {children}
  </ResultLink>
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

/** DocSearch resets the status of a failure before anyone sees it, and says that there are no results. */
function useFailures() {
  const [isFailing, setIsFailing] = useState(false);
  const newest = useRef(0);
  const [watch] = useState(
    () =>
      (search: Search): Search =>
      async (...request) => {
        const number = ++newest.current;
        const [answer] = await Promise.allSettled([search(...request)]);
        if (number === newest.current) setIsFailing(answer.status === "rejected");
        return answer.status === "fulfilled" ? answer.value : NOTHING;
      },
  );
  return { isFailing, watch };
}

// DocSearch reads no other fields.
const NOTHING = { results: [{ hits: [], nbHits: 0 }] } as unknown as Awaited<ReturnType<Search>>;

/** Hands what was typed to the assistant, if the site has one. On a phone its button is below the page. */
function AskInstead({ box, onClose }: { box: HTMLElement | null; onClose: () => void }) {
  const button = document.getElementById("assistant");
  if (!button) return null;
  function ask() {
    onClose();
    if (!button) return;
    button.dataset.question = box?.querySelector("input")?.value ?? "";
    button.click();
  }
  return (
    <button type="button" className="search-ask" onClick={ask}>
      <Translate id="assistant.fromSearch">Ask instead of searching</Translate>
    </button>
  );
}

/** In the words and the form of DocSearch's own screen for it. */
function Failure() {
  return (
    <div className="DocSearch-ErrorScreen" role="alert">
      <p className="DocSearch-Title">
        <Translate id="search.failed">Unable to fetch results</Translate>
      </p>
      <p className="DocSearch-Help">
        <Translate id="search.failedHelp">
          You might want to check your network connection.
        </Translate>
      </p>
    </div>
  );
}

/**
 * DocSearch calls the whole window a button, which screen readers would read as one, names lists that do not exist, and
 * has a header and a footer as if it were a page.
 */
function describe(box: HTMLElement) {
  const label = translate({ id: "search.label", message: "Search" });
  const container = box.querySelector(".DocSearch-Container");
  const described = { role: "dialog", "aria-modal": "true", "aria-label": label, tabindex: "-1" };
  for (const [name, value] of Object.entries(described)) container?.setAttribute(name, value);
  for (const name of ["aria-expanded", "aria-haspopup", "aria-labelledby"]) {
    container?.removeAttribute(name);
  }
  for (const part of box.querySelectorAll("header, footer")) part.setAttribute("role", "none");
  const references = ["aria-controls", "aria-owns"];
  const observer = new MutationObserver((changes) => {
    for (const { target, attributeName } of changes) {
      if (target instanceof Element && attributeName) target.removeAttribute(attributeName);
    }
  });
  observer.observe(box, { subtree: true, attributes: true, attributeFilter: references });
  return () => observer.disconnect();
}
