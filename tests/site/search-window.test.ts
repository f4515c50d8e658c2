import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { violations } from "../../scripts/audit/browse.ts";
import { siteBuild } from "../../scripts/audit/built-pages.ts";
import { closePages, hasBrowser, sharedBrowser, waitUntilReady } from "../start/browser.ts";
import { isLong } from "../start/long-form.ts";
import { keepTabs } from "./kept-pages.ts";
import {
  closeWindow,
  describeSearch,
  fieldOf,
  firstOf,
  resultsIn,
  resultsOn,
  typeInWindow,
  windowOf,
} from "./search-promises.ts";
import { serveSite } from "./serve-site.ts";

// The search of our site, in which the browser searches by itself. Axe sees it on a phone in the dark, and in the long form
// in every theme and width.

const [english, spanish] = ["/concepts/overview", "/es/concepts/overview"] as const;

describe.runIf(hasBrowser)("the search of our site", () => {
  let site: Awaited<ReturnType<typeof serveSite>>;
  beforeAll(async () => {
    site = await serveSite(siteBuild);
  });
  afterAll(async () => {
    await closePages();
    await site?.stop();
  });

  type How = "works" | "fails";

  async function openNew(url: string, how: How): Promise<{ page: Page }> {
    const context = await (await sharedBrowser()).newContext();
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    if (how === "fails") await page.route("**/search.json", (route) => route.abort());
    await page.goto(url);
    await waitUntilReady(page);
    return { page };
  }

  const goTo = keepTabs(
    (url) => site.url + (new URL(url).pathname.startsWith("/es/") ? spanish : english),
    (url) => openNew(url, "works"),
    closeWindow,
  );

  function open(path: string, use: (page: Page) => Promise<void>, how: How = "works") {
    if (how === "fails") return load(path, use, how);
    return goTo(site.url + path, ({ page }) => use(page));
  }

  /** In a browser that has nothing of the site yet. */
  async function load(path: string, use: (page: Page) => Promise<void>, how: How = "works") {
    const { page } = await openNew(site.url + path, how);
    try {
      await use(page);
    } finally {
      await page.context().close();
    }
  }

  describeSearch("in the browser", {
    open,
    english,
    spanish,
    found: { typed: "create wallet", leadsTo: "/api#create_wallet" },
    translated: { typed: "inicio rápido", leadsTo: "/es/getting-started/quickstart" },
    untranslated: { typed: "docker compose", leadsTo: "/self-hosting/docker-compose" },
    earlier: { version: "0.1", typed: "create wallet", leadsTo: "/0.1/api#create_wallet" },
  });

  test("is in Spanish on Spanish pages", async () => {
    await open(spanish, async (page) => {
      await page.locator(".navbar").getByRole("button", { name: "Buscar" }).click();
      const placeholder = () => fieldOf(page).getAttribute("placeholder");
      await expect.poll(placeholder).toBe("Buscar en la documentación");
      await page.keyboard.type("qqzzxxy");
      await windowOf(page).getByText("No hay resultados para").waitFor();
    });
    await open("/es/search?q=qqzzxxy", async (page) => {
      await page.getByText("No hay resultados para").waitFor();
    });
  });

  test("loads nothing of it before a reader wants to search, and nothing from elsewhere after", async () => {
    const asked: string[] = [];
    await load("/faq", async (page) => {
      page.on("request", (request) => asked.push(request.url()));
      await page.waitForLoadState("networkidle");
      const before = asked.filter((url) => /search\.json|docsearch/i.test(url));
      expect(before).toEqual([]);
      asked.length = 0;
      await typeInWindow(page, "policies");
      await resultsIn(page).first().waitFor();
      expect(asked.filter((url) => url.endsWith("/search.json"))).toHaveLength(1);
      expect(asked.filter((url) => !url.startsWith(site.url))).toEqual([]);
    });
  });

  test("works again after a failure", async () => {
    await open(
      "/search?q=wallets",
      async (page) => {
        await page.getByText("Unable to fetch results").waitFor();
        await page.unrouteAll();
        await page.locator("main input").fill("create wallet");
        await expect.poll(() => firstOf(resultsOn(page))).toBe("/api#create_wallet");
      },
      "fails",
    );
  });

  test("follows the arrows, keeps what was opened as recent, and a click outside closes it", async () => {
    await open(english, async (page) => {
      await typeInWindow(page, "");
      // At once, so that the arrow moves in what the whole of it finds.
      await fieldOf(page).fill("create wallet");
      await expect.poll(() => firstOf(resultsIn(page))).toBe("/api#create_wallet");
      await page.keyboard.press("ArrowDown");
      const second = windowOf(page).locator(".DocSearch-Hit[aria-selected=true] a");
      expect(await second.getAttribute("href")).toBe("/api#create_wallet_accounts");
      await page.keyboard.press("Enter");
      await page.waitForURL(/#create_wallet_accounts$/);
      // Another layout has another button.
      await page.getByRole("heading", { name: "API Reference", level: 1 }).waitFor();
      await expect.poll(() => windowOf(page).count()).toBe(0);
      await page.keyboard.press("/");
      await windowOf(page).getByText("Recent", { exact: true }).waitFor();
      expect(await resultsIn(page).count()).toBe(1);
      await page.mouse.click(5, 400);
      await expect.poll(() => windowOf(page).count()).toBe(0);
    });
  });

  test("has more results at the end of a page of them", async () => {
    await open("/search?q=wallet", async (page) => {
      await resultsOn(page).first().waitFor();
      expect(await resultsOn(page).count()).toBe(15);
      await page.getByRole("button", { name: "Show more results" }).click();
      await expect.poll(() => resultsOn(page).count()).toBe(30);
    });
  });

  test.each([
    ["dark", 390],
    ...(isLong
      ? ([
          ["light", 1440],
          ["dark", 1440],
          ["light", 390],
        ] as const)
      : []),
  ] as const)("has no fault that axe finds: %s, %i px", async (theme, width) => {
    await load(`/search?q=create%20wallet&docusaurus-theme=${theme}`, async (page) => {
      await page.setViewportSize({ width, height: 800 });
      await resultsOn(page).first().waitFor();
      expect(await violations(page, true)).toEqual([]);
      const beyond = () =>
        page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(await beyond()).toBeLessThanOrEqual(0);
      await page.locator(".navbar").getByRole("button", { name: "Search" }).click();
      await fieldOf(page).fill("create wallet");
      await resultsIn(page).first().waitFor();
      // The page behind it is as it was. DocSearch's options are links.
      const faults = await violations(page, true, isLong ? undefined : ".DocSearch-Container");
      expect(faults.filter((fault) => !fault.startsWith("nested-interactive"))).toEqual([]);
    });
  });
});
