import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type HostedRecord,
  hostedRecords,
  type RecordsAt,
} from "../../scripts/search-records/hosted-records.ts";
import { type Algolia, startAlgolia } from "../site/algolia.ts";
import { keepTabs } from "../site/kept-pages.ts";
import {
  closeWindow,
  describeSearch,
  firstOf,
  resultsIn,
  resultsOn,
  typeInWindow,
} from "../site/search-promises.ts";
import { serveSite } from "../site/serve-site.ts";
import { closePages, hasBrowser, sharedBrowser, waitUntilReady } from "../start/browser.ts";
import { built } from "./fixture.ts";

// The large fixture asks an index of Algolia by its own client, which a service on this machine answers for. The small one
// searches by itself, with other values of each field.

const application = {
  appId: "TESTAPP123",
  apiKey: "0123456789abcdef0123456789abcdef",
  indexName: "fixture",
};

const [english, spanish] = ["/second", "/es/second"] as const;

type Site = Awaited<ReturnType<typeof serveSite>>;

async function openPage(url: string, before: (page: Page) => Promise<void>) {
  const context = await (await sharedBrowser()).newContext();
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  await before(page);
  await page.goto(url);
  await waitUntilReady(page);
  return page;
}

describe.runIf(hasBrowser)("a site that asks Algolia", () => {
  let site: Site;
  let algolia: Algolia;

  beforeAll(async () => {
    const directory = await built("docusaurus");
    site = await serveSite(directory);
    const part = (folder: string): RecordsAt => ({
      base: `${site.url}/${folder}`,
      records: JSON.parse(readFileSync(join(directory, folder, "search.json"), "utf8")),
    });
    const records = hostedRecords([part(""), part("es/")]);
    algolia = await startAlgolia(application, [
      ...records,
      ...movedTo("https://example.com", "elsewhere", records),
      ...movedTo(`${site.url}/old-docs`, "ancient", records),
    ]);
  }, 240_000);
  afterAll(async () => {
    await closePages();
    await algolia?.stop();
    await site?.stop();
  });

  /** The third page once more, at another address and with another word. */
  function movedTo(base: string, word: string, records: HostedRecord[]): HostedRecord[] {
    return records
      .filter(({ url, type }) => url.endsWith("/third") && type === "lvl1")
      .filter(({ docusaurus_tag }) => docusaurus_tag === "docs-default-current")
      .map((record) => ({
        ...record,
        objectID: base,
        url: `${base}/third`,
        hierarchy: { ...record.hierarchy, lvl1: `An ${word} page` },
      }));
  }

  type How = "works" | "fails" | "forbidden";

  const openNew = async (url: string, how: How) => {
    const state = { works: "up", fails: "down", forbidden: "forbidden" } as const;
    return { page: await openPage(url, (each) => algolia.answerFor(each, state[how])) };
  };
  const goTo = keepTabs(
    (url) => site.url + (new URL(url).pathname.startsWith("/es/") ? spanish : english),
    (url) => openNew(url, "works"),
    closeWindow,
  );

  async function open(path: string, use: (page: Page) => Promise<void>, how: How = "works") {
    if (how === "works") return goTo(site.url + path, ({ page }) => use(page));
    const { page } = await openNew(site.url + path, how);
    try {
      await use(page);
    } finally {
      await page.context().close();
    }
  }

  describeSearch("by Algolia", {
    open,
    english,
    spanish,
    found: { typed: "third level", leadsTo: "/#a-third-level" },
    translated: { typed: "segunda", leadsTo: "/es/second" },
    untranslated: { typed: "third page", leadsTo: "/third" },
    earlier: { version: "0.1 (old)", typed: "third page, old", leadsTo: "/0.1/third" },
  });

  test("asks with the facets of the language and of the version that the reader is in", async () => {
    const facetsOf = async (path: string) => {
      algolia.asked.length = 0;
      await open(path, async (page) => {
        await typeInWindow(page, "page");
        await resultsIn(page).first().waitFor();
      });
      return algolia.asked.at(-1);
    };
    expect(await facetsOf("/second")).toMatchObject({
      indexName: "fixture",
      query: "page",
      facetFilters: [
        "language:en",
        ["docusaurus_tag:default", "docusaurus_tag:docs-default-current"],
      ],
    });
    expect(await facetsOf("/es/second")).toMatchObject({
      facetFilters: [
        "language:es",
        ["docusaurus_tag:default", "docusaurus_tag:docs-default-current"],
      ],
    });
    expect(await facetsOf("/0.1/third")).toMatchObject({
      facetFilters: ["language:en", ["docusaurus_tag:default", "docusaurus_tag:docs-default-0.1"]],
    });
  });

  test("an address that externalUrlRegex matches stays, and leads out of the site", async () => {
    await open("/second", async (page) => {
      await page.route("https://example.com/**", (route) => route.fulfill({ body: "Elsewhere" }));
      await typeInWindow(page, "elsewhere");
      await expect.poll(() => firstOf(resultsIn(page))).toBe("https://example.com/third");
      await page.keyboard.press("Enter");
      await page.waitForURL("https://example.com/third");
    });
    await open("/search?q=elsewhere", async (page) => {
      await expect.poll(() => firstOf(resultsOn(page))).toBe("https://example.com/third");
    });
  });

  test("replaceSearchResultPathname changes the addresses of results", async () => {
    await open("/second", async (page) => {
      await typeInWindow(page, "ancient");
      await expect.poll(() => firstOf(resultsIn(page))).toBe("/third");
    });
    await open("/search?q=ancient", async (page) => {
      await expect.poll(() => firstOf(resultsOn(page))).toBe("/third");
    });
  });

  test("a key that the service refuses is a failure too", async () => {
    await open(
      "/search?q=page",
      async (page) => {
        await page.getByText("Unable to fetch results").waitFor();
        await typeInWindow(page, "page");
        await page.getByRole("dialog").getByText("Unable to fetch results").waitFor();
      },
      "forbidden",
    );
  });
});

describe.runIf(hasBrowser)(
  "a site that searches by itself, with other values of each field",
  () => {
    let site: Site;
    beforeAll(async () => {
      site = await serveSite(await built("flat"));
    }, 240_000);
    afterAll(async () => {
      await closePages();
      await site?.stop();
    });

    async function open(path: string, use: (page: Page) => Promise<void>) {
      const page = await openPage(site.url + path, async () => {});
      try {
        await use(page);
      } finally {
        await page.context().close();
      }
    }

    test("searchPagePath is the address of the page, and without contextualSearch it has no versions", async () => {
      await open("/", async (page) => {
        await typeInWindow(page, "only page");
        await page.getByRole("link", { name: /^See all/ }).click();
        await page.waitForURL(`${site.url}/find?q=only%20page`);
        await expect.poll(() => firstOf(resultsOn(page))).toBe("/");
        expect(await page.getByLabel("Version").count()).toBe(0);
      });
    });

    test("replaceSearchResultPathname takes a text literally, and changes the addresses of results", async () => {
      await open("/find?q=moved", async (page) => {
        await expect.poll(() => firstOf(resultsOn(page))).toBe("/");
        await typeInWindow(page, "moved");
        await expect.poll(() => firstOf(resultsIn(page))).toBe("/");
      });
    });

    test("an address that externalUrlRegex matches stays as it is", async () => {
      const whole = `${site.url}/moved#outside`;
      await open("/find?q=outside", async (page) => {
        await expect.poll(() => firstOf(resultsOn(page))).toBe(whole);
        await typeInWindow(page, "outside");
        await expect.poll(() => firstOf(resultsIn(page))).toBe(whole);
      });
    });
  },
);
