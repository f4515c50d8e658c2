// The theme's page does not say when the search failed, offers no way on from a search without results, and knows neither
// earlier versions that are kept below their names nor pages that are only there in the original language.
import Head from "@docusaurus/Head";
import Translate, { translate } from "@docusaurus/Translate";
import {
  HtmlClassNameProvider,
  PageMetadata,
  usePluralForm,
  useSearchQueryString,
} from "@docusaurus/theme-common";
import { useAlgoliaThemeConfig } from "@docusaurus/theme-search-algolia/client";
import type { Hit } from "@site/src/search/answer.ts";
import { isHosted } from "@site/src/search/hosted.ts";
import { Marked } from "@site/src/search/marked.tsx";
import { useMissingResultsUrl } from "@site/src/search/missing-results.ts";
import { ResultLink } from "@site/src/search/ResultLink.tsx";
import { useSearchVersions } from "@site/src/search/search-versions.ts";
import { type Results, useResults } from "@site/src/search/use-results.ts";
import Layout from "@theme/Layout";
import { useState } from "react";
import styles from "./styles.module.css";

export default function SearchPage() {
  const title = translate({ id: "search.page.title", message: "Search the documentation" });
  return (
    <HtmlClassNameProvider className="search-page">
      <PageMetadata title={title} />
      <Head>
        <meta name="robots" content="noindex, follow" />
      </Head>
      <Layout>
        <main className={styles.page}>
          <h1>{title}</h1>
          <SearchContent />
        </main>
      </Layout>
    </HtmlClassNameProvider>
  );
}

function SearchContent() {
  const { algolia } = useAlgoliaThemeConfig();
  const { contextualSearch } = algolia;
  const [query, setQuery] = useSearchQueryString();
  const { versions, own } = useSearchVersions();
  const [chosen, setChosen] = useState<number | null>(null);
  const facets = contextualSearch ? versions[chosen ?? own]?.facets : undefined;
  const { results, showMore } = useResults(query, facets);
  const placeholder = translate({ id: "search.placeholder", message: "Search docs" });
  return (
    <>
      <search className={styles.form}>
        <input
          // Nobody comes to this page for anything else.
          // biome-ignore lint/a11y/noAutofocus: the field is the page
          autoFocus
          type="search"
          value={query}
          aria-label={translate({ id: "search.label", message: "Search" })}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setQuery(event.target.value)}
        />
        {contextualSearch && versions.length > 1 && (
          <select
            aria-label={translate({ id: "search.page.version", message: "Version" })}
            value={chosen ?? own}
            onChange={(event) => setChosen(Number(event.target.value))}
          >
            {versions.map(({ label }, at) => (
              <option key={label} value={at}>
                {label}
              </option>
            ))}
          </select>
        )}
      </search>
      <div aria-live="polite">
        <Outcome results={results} onTry={setQuery} />
      </div>
      {results.state === "found" && <Hits hits={results.hits} />}
      {results.state === "found" && results.hasMore && (
        <button type="button" className="button button--secondary" onClick={showMore}>
          <Translate id="search.page.more">Show more results</Translate>
        </button>
      )}
      {isHosted(algolia) && (
        <p className={styles.by}>
          <Translate id="search.by">Search by</Translate>{" "}
          <a href="https://www.algolia.com/">Algolia</a>
        </p>
      )}
    </>
  );
}

type OutcomeProps = { results: Results; onTry: (query: string) => void };

function Outcome({ results, onTry }: OutcomeProps) {
  const { selectMessage } = usePluralForm();
  if (results.state === "idle") return null;
  if (results.state === "failed") return <Failure />;
  const { query, count } = results;
  if (count === 0) return <NoResults query={query} onTry={onTry} />;
  const found = translate(
    { id: "search.page.found", message: "One result|{count} results" },
    { count },
  );
  return <p className={styles.count}>{selectMessage(count, found)}</p>;
}

function Failure() {
  return (
    <div className={styles.nothing}>
      <p className={styles.lead}>
        <Translate id="search.failed">Unable to fetch results</Translate>
      </p>
      <p>
        <Translate id="search.failedHelp">
          You might want to check your network connection.
        </Translate>
      </p>
    </div>
  );
}

/** What most readers look for. */
const suggestions = [
  translate({ id: "search.page.try.quickstart", message: "quickstart" }),
  translate({ id: "search.page.try.policies", message: "policies" }),
  translate({ id: "search.page.try.wallets", message: "wallets" }),
];

type NoResultsProps = { query: string; onTry: (query: string) => void };

function NoResults({ query, onTry }: NoResultsProps) {
  const missingResultsUrl = useMissingResultsUrl();
  return (
    <div className={styles.nothing}>
      <p className={styles.lead}>
        <Translate id="search.none">No results for</Translate> “<strong>{query}</strong>”
      </p>
      <p>
        <Translate id="search.try">Try searching for</Translate>:
      </p>
      <ul className={styles.suggestions}>
        {suggestions.map((suggestion) => (
          <li key={suggestion}>
            <button type="button" onClick={() => onTry(suggestion)}>
              {suggestion}
            </button>
          </li>
        ))}
      </ul>
      <p>
        <Translate id="search.report">Believe this query should return results?</Translate>{" "}
        <a href={missingResultsUrl(query)} target="_blank" rel="noopener noreferrer">
          <Translate id="search.reportLink">Let us know.</Translate>
        </a>
      </p>
    </div>
  );
}

function Hits({ hits }: { hits: Hit[] }) {
  return (
    <ol className={styles.hits}>
      {hits.map((hit) => {
        const titles = titlesOf(hit);
        const snippet = hit._snippetResult?.content;
        return (
          <li key={hit.objectID}>
            <h2>
              <ResultLink url={hit.url}>
                <Marked html={titles.at(-1) ?? ""} />
              </ResultLink>
            </h2>
            {titles.length > 1 && (
              <p className={styles.path}>
                <Marked html={titles.slice(0, -1).join(" › ")} />
              </p>
            )}
            {snippet && (
              <p className={styles.snippet}>
                <Marked html={snippet.value} />
              </p>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** From the category down to the section, with marks. A page that is its own category has one title. */
function titlesOf({ _highlightResult }: Hit): string[] {
  const { hierarchy } = _highlightResult;
  const titles = Object.keys(hierarchy)
    .toSorted()
    .flatMap((level) => hierarchy[level as keyof typeof hierarchy]?.value ?? []);
  return titles.filter((title, at) => title !== titles[at - 1]);
}
