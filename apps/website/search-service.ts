import { LOCAL } from "./src/search/hosted.ts";

/** What the theme needs to know of the service that searches. */
type SearchService = { appId: string; apiKey: string; indexName: string };

/** The pages search by themselves, in their own records. */
export const localSearch: SearchService = { appId: LOCAL, apiKey: LOCAL, indexName: LOCAL };

const forms = {
  ALGOLIA_APP_ID: [/^[A-Z0-9]{10}$/, "the application's id, ten capitals and digits"],
  ALGOLIA_SEARCH_KEY: [/^[\w=-]{16,512}$/, "the application's search-only key"],
  ALGOLIA_INDEX: [/^[\w.-]{1,256}$/, "the name of the index that has the records"],
} as const satisfies Record<string, readonly [RegExp, string]>;

/**
 * Reads which index of Algolia the pages ask, and refuses what cannot be one. Without any of the settings, they ask
 * nobody.
 */
export function readSearchService(
  env: Readonly<Record<string, string | undefined>>,
): SearchService {
  const names = Object.keys(forms) as (keyof typeof forms)[];
  if (names.every((name) => !env[name])) return localSearch;
  for (const name of names) {
    const [form, meaning] = forms[name];
    const value = env[name] ?? "";
    if (value === "")
      throw new Error(`${name} is missing: set it to ${meaning}, or unset the others`);
    // A key may be the wrong one, so it is not repeated.
    const shown = name === "ALGOLIA_SEARCH_KEY" ? "not a key" : `\`${value}\``;
    if (!form.test(value)) throw new Error(`${name} is ${shown}: set it to ${meaning}`);
  }
  const { ALGOLIA_APP_ID = "", ALGOLIA_SEARCH_KEY = "", ALGOLIA_INDEX = "" } = env;
  return { appId: ALGOLIA_APP_ID, apiKey: ALGOLIA_SEARCH_KEY, indexName: ALGOLIA_INDEX };
}
