import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Page, Request as PageRequest } from "playwright-core";
import type { HostedRecord } from "../../scripts/search-records/hosted-records.ts";

/** What a client asks for, as far as this service reads it. */
export type AlgoliaRequest = {
  indexName: string;
  query?: string;
  facetFilters?: (string | string[])[];
  hitsPerPage?: number;
  page?: number;
  highlightPreTag?: string;
  highlightPostTag?: string;
};

export type Algolia = {
  /** All requests, in their order. */
  asked: AlgoliaRequest[];
  /** Has the hosts of the application lead here, for one page. */
  answerFor(page: Page, state?: "up" | "down" | "forbidden"): Promise<void>;
  stop(): Promise<void>;
};

type Application = { appId: string; apiKey: string; indexName: string };

/** A service on this machine that speaks Algolia's search API: one index, with a plain match of all words. */
export async function startAlgolia(
  { appId, apiKey, indexName }: Application,
  records: HostedRecord[],
): Promise<Algolia> {
  const asked: AlgoliaRequest[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const given = (name: string) => searchParams.get(name) ?? request.headers[name];
    const isKnown = given("x-algolia-application-id") === appId;
    const headers = { "content-type": "application/json", "access-control-allow-origin": "*" };
    if (!isKnown || given("x-algolia-api-key") !== apiKey) {
      const message = "Invalid Application-ID or API key";
      return response.writeHead(403, headers).end(JSON.stringify({ message, status: 403 }));
    }
    if (request.method !== "POST" || pathname !== "/1/indexes/*/queries") {
      return response.writeHead(404, headers).end(JSON.stringify({ message: "Not found" }));
    }
    const { requests } = JSON.parse(await text(request)) as { requests: AlgoliaRequest[] };
    asked.push(...requests);
    const results = requests.map((each) =>
      answer(each.indexName === indexName ? records : [], each),
    );
    response.writeHead(200, headers).end(JSON.stringify({ results }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo;
  const hosts = new RegExp(`^https://${appId}(-dsn\\.algolia\\.net|-\\d\\.algolianet\\.com)/`, "i");
  return {
    asked,
    async answerFor(page, state = "up") {
      await page.route(hosts, async (route) => {
        if (state === "down") return route.abort("connectionfailed");
        const { pathname, search } = new URL(route.request().url());
        const at = new URL(pathname + search, `http://127.0.0.1:${port}`);
        if (state === "forbidden") at.searchParams.set("x-algolia-api-key", "another");
        // The browser's driver waits for an answer to a page that is closed.
        const reply = await fetch(at, sentBy(route.request()));
        const { status, headers } = reply;
        const answered = { status, headers: Object.fromEntries(headers), body: await reply.text() };
        await route.fulfill(answered).catch((error: unknown) => {
          if (!page.isClosed() && !/disposed|closed/.test(String(error))) throw error;
        });
      });
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function sentBy(request: PageRequest) {
  const body = request.postData();
  const named = Object.entries(request.headers());
  const headers = Object.fromEntries(named.filter(([name]) => /^(x-|content-type)/.test(name)));
  return { method: request.method(), headers, ...(body !== null && { body }) };
}

function answer(records: HostedRecord[], request: AlgoliaRequest) {
  const { query = "", facetFilters = [], hitsPerPage = 20, page = 0 } = request;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = records
    .filter((record) => facetFilters.every((filter) => isTrue([filter].flat(), record)))
    .filter((record) => words.every((word) => textOf(record).includes(word)))
    .toSorted((one, other) => other.weight.level - one.weight.level);
  // Of the records with the same address, the best counts.
  const distinct = found.filter(
    (record, at) => found.findIndex(({ url }) => url === record.url) === at,
  );
  return {
    hits: distinct
      .slice(page * hitsPerPage, (page + 1) * hitsPerPage)
      .map((record) => shown(record, words, request)),
    nbHits: distinct.length,
    page,
    nbPages: Math.ceil(distinct.length / hitsPerPage),
    hitsPerPage,
    query,
  };
}

function isTrue(any: string[], { language, docusaurus_tag }: HostedRecord): boolean {
  const facets = [
    ...language.map((each) => `language:${each}`),
    `docusaurus_tag:${docusaurus_tag}`,
  ];
  return any.some((one) => facets.includes(one));
}

function textOf({ hierarchy, content }: HostedRecord): string {
  return [...Object.values(hierarchy), content].join(" ").toLowerCase();
}

function shown(record: HostedRecord, words: string[], request: AlgoliaRequest) {
  const { highlightPreTag: before = "<em>", highlightPostTag: after = "</em>" } = request;
  const any = new RegExp(words.join("|") || "(?!)", "gi");
  const mark = (value: string) => ({
    value: value.replace(any, (word) => before + word + after),
    matchLevel: "full",
  });
  const marked = {
    hierarchy: Object.fromEntries(
      Object.entries(record.hierarchy).flatMap(([level, title]) =>
        title === null ? [] : [[level, mark(title)]],
      ),
    ),
    ...(record.content !== null && { content: mark(record.content) }),
  };
  return { ...record, _highlightResult: marked, _snippetResult: marked };
}
