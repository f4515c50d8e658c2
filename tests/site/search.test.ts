import { gzipSync } from "node:zlib";
import type { Records } from "@keyhearth/search/records";
import { createIndex } from "@keyhearth/search/search-index";
import { describe, expect, test } from "vitest";
import { answerSearch, type SearchRequest } from "../../apps/website/src/search/answer.ts";
import { keptVersions } from "../../scripts/audit/built-pages.ts";
import { read, sitePages } from "./built-pages.ts";
import { callQueries, otherQueries } from "./search-queries.ts";

// What the search of the built site finds, how fast, and in how large a file. `search-window.test.ts` shows it to readers.

const recordsOf = (path: string): Records => JSON.parse(read(path));
const english = recordsOf("search.json");
const spanish = recordsOf("es/search.json");
const earlier = recordsOf("0.1/search.json");
const sources = {
  en: { index: createIndex(english), base: "http://site.test/" },
  es: { index: createIndex(spanish), base: "http://site.test/es/" },
  "0.1": { index: createIndex(earlier), base: "http://site.test/0.1/" },
};

const inEnglish = [
  "language:en",
  ["docusaurus_tag:default", "docusaurus_tag:docs-default-current"],
];
const inSpanish = [
  "language:es",
  ["docusaurus_tag:default", "docusaurus_tag:docs-default-current"],
];

function addressesOf(parts: (keyof typeof sources)[], request: SearchRequest): string[] {
  const from = parts.map((part) => sources[part]);
  const { hits } = answerSearch(from, { hitsPerPage: 1000, ...request });
  return hits.map(({ url }) => url.replace("http://site.test", ""));
}

const find = (query: string) => addressesOf(["en"], { query, facetFilters: inEnglish });

test("of 100 queries, at least 95 have the right first result", () => {
  const queries = [...callQueries, ...otherQueries];
  const wrong = queries.filter(([typed, address]) => find(typed)[0] !== address);
  expect(wrong.length, JSON.stringify(wrong)).toBeLessThanOrEqual(5);
});

test("a slip of a key, another form of a word and the middle of a word find the same", () => {
  expect(find("craete walet")[0]).toBe("/api#create_wallet");
  expect(find("policys").slice(0, 10)).toContain("/concepts/policies/overview");
  expect(find("rotating a key")).toContain("/concepts/users/credentials#rotation");
  expect(find("pregenerated walle")[0]).toMatch(/^\/wallets\/pregenerated-wallets/);
  expect(find("qqzzxxy")).toEqual([]);
});

test("the message of an error with the values of a real one finds its code", () => {
  const message =
    "could not find public key in organization or its parent organization organizationId=5f7c0c6a publicKey=02ab";
  expect(find(message)[0]).toBe("/developer-reference/api-overview/errors#credential-not-found");
});

test("every page and every call of the reference is in the records, and no page is twice", () => {
  const own = sitePages().filter(({ path }) => !/^\/(es(\/|$)|search$)/.test(path));
  const shown = own.filter(({ html }) => !/<meta[^>]*robots[^>]*noindex/.test(html));
  expect(english.pages.map(([place]) => place).toSorted()).toEqual(
    shown.map(({ path }) => path).toSorted(),
  );
  const anchorsOf = (page: string) =>
    english.pages.find(([place]) => place === page)?.[3].map(([anchor]) => anchor) ?? [];
  const [stamped, proxy] = [anchorsOf("/api"), anchorsOf("/api/login-proxy")];
  const { paths } = JSON.parse(read("openapi.json"));
  for (const path of Object.keys(paths)) {
    expect(path.startsWith("/proxy/") ? proxy : stamped).toContain(path.split("/").at(-1));
  }
});

test("a page that is not translated is found once, as the English page that it is", () => {
  expect(spanish.untranslated).toContain("/self-hosting/docker-compose");
  expect(spanish.pages.map(([place]) => place)).not.toContain("/self-hosting/docker-compose");
  const found = addressesOf(["en", "es"], { query: "docker compose", facetFilters: inSpanish });
  expect(found.filter((address) => /docker-compose$/.test(address))).toEqual([
    "/self-hosting/docker-compose",
  ]);
  const translated = addressesOf(["en", "es"], { query: "carteras", facetFilters: inSpanish });
  expect(translated.every((address) => !/^\/concepts\//.test(address))).toBe(true);
  const wallets = addressesOf(["en", "es"], { query: "wallets", facetFilters: inSpanish });
  expect(wallets).toContain("/es/concepts/wallets");
  expect(wallets).not.toContain("/concepts/wallets");
});

test("an earlier version has records of its own, with its tag", () => {
  expect(keptVersions()).toContain("0.1");
  const tags = new Set(earlier.pages.map(([, tag]) => tag));
  expect([...tags]).toEqual(["docs-default-0.1"]);
  const request = {
    query: "wallets",
    facetFilters: ["language:en", ["docusaurus_tag:docs-default-0.1"]],
  };
  expect(addressesOf(["0.1"], request)).toContain("/0.1/concepts/wallets");
  expect(addressesOf(["en"], request)).toEqual([]);
});

describe("a file of records", () => {
  test.each([
    ["search.json", english],
    ["es/search.json", spanish],
    ["0.1/search.json", earlier],
  ] as const)("%s has at most 1.15 times the compressed size of its text", (path, records) => {
    const texts = records.pages.flatMap(([, , , sections]) =>
      sections.map(([, , title, content, words = ""]) => `${title}\n${content}\n${words}`),
    );
    const text = gzipSync(texts.join("\n")).length;
    expect(text).toBeGreaterThan(20_000);
    expect(gzipSync(read(path)).length / text).toBeLessThan(1.15);
  });

  // It grows with the pages; their text is what the ratio above is about.
  test("that of the original has at most 350 KB, compressed", () => {
    expect(gzipSync(read("search.json")).length).toBeLessThan(350_000);
  });
});

test("each letter of a query is answered in less than 30 ms", () => {
  // The first letters find most, and whole queries have most words. Of the calls, a sample is as good as all.
  const sample = callQueries.filter((_, at) => at % 5 === 0);
  const typed = [...sample, ...otherQueries].flatMap(([query]) =>
    Array.from(query, (_, at) => query.slice(0, at + 1)),
  );
  // The time of this thread, so that other programs of the machine do not count.
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const timeOf = (query: string) => {
    const start = cpuMs();
    answerSearch([sources.en], { query, facetFilters: inEnglish });
    return cpuMs() - start;
  };
  const slow = [...new Set(typed)].filter((query) => [1, 2, 3].every(() => timeOf(query) >= 30));
  expect(slow).toEqual([]);
});
