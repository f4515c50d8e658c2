import { dirname } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { showPlaces } from "../../apps/api/src/serve/shown-places.ts";
import { latestPages } from "../../scripts/audit/built-pages.ts";
import { closePages, hasBrowser, sharedBrowser, waitUntilReady } from "../start/browser.ts";
import { isLong } from "../start/long-form.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import { markdownOf, read, sitePages } from "./built-pages.ts";

// What readers do with a page: copy it, read it as Markdown, print it, subscribe to changes. Where `CI` is set, a
// machine without a browser fails.

describe.runIf(hasBrowser)("a page", { timeout: 60_000 }, () => {
  let service: SharedProduct;
  let browser: Browser;

  beforeAll(async () => {
    service = await sharedProduct();
    browser = await sharedBrowser();
  }, 180_000);
  afterAll(async () => {
    await closePages();
  });

  async function open(
    path: string,
    width: number,
    use: (page: Page, asked: string[]) => Promise<void>,
  ) {
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: service.url });
    const page = await context.newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(service.url + path, { waitUntil: "networkidle" });
    await waitUntilReady(page);
    await use(page, asked);
    await context.close();
  }

  const more = (page: Page) => page.getByRole("button", { name: "More ways to use this page" });
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

  test("every page's Markdown is served as text in UTF-8", async () => {
    const places = {
      publicUrl: `http://localhost:${new URL(service.url).port}`,
      dataDirectory: dirname(service.environment.KEYHEARTH_ROOT_KEY),
    };
    for (const { path } of latestPages(sitePages()).slice(0, 20)) {
      const answer = await fetch(service.url + markdownOf(path));
      expect(answer.status, path).toBe(200);
      expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      expect(await answer.text()).toBe(showPlaces(read(markdownOf(path)), places));
    }
    for (const path of ["/llms.txt", "/llms-full.txt"]) {
      const answer = await fetch(service.url + path);
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    }
  });

  test("a page names its Markdown, also after the reader has gone to another page", async () => {
    await open("/concepts/wallets", 1440, async (page) => {
      const alternate = page.locator("link[rel=alternate][type='text/markdown']");
      expect(await alternate.getAttribute("href")).toBe("/concepts/wallets.md");
      await page.getByRole("link", { name: "Resource Limits", exact: true }).first().click();
      await page.waitForURL("**/concepts/resource-limits");
      const named = () =>
        alternate.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
      await expect.poll(named).toContain("/concepts/resource-limits.md");
    });
  });

  test("each file of the pages that a page links to is loaded beforehand, once", async () => {
    await open("/concepts/wallets", 1440, async (page) => {
      const files = () =>
        page
          .locator("link[rel=prefetch]")
          .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
      const count = async () => (await files()).length;
      await expect.poll(count, { timeout: 20_000 }).toBeGreaterThan(20);
      const found = await files();
      expect(found.filter((file, index) => found.indexOf(file) !== index)).toEqual([]);
    });
  });

  test("code stays as the page brought it when the scripts take over", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.addInitScript(() => {
      const removed: string[] = [];
      Object.assign(window, { removed });
      const note = (nodes: NodeList) => {
        for (const node of nodes) if (node instanceof Element) removed.push(node.className);
      };
      new MutationObserver((changes) => {
        for (const { removedNodes } of changes) note(removedNodes);
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto(`${service.url}/embedded-wallets/code-examples/create-sub-org-passkey`);
    await waitUntilReady(page);
    const removed = await page.evaluate(() => Reflect.get(window, "removed"));
    expect(JSON.stringify(removed)).not.toMatch(/codeBlock|token-line|code-/);
    await context.close();
  });

  test.each(isLong ? [1440, 390] : [1440])(
    "at %d pixels, one press copies the page and says so",
    async (width) => {
      await open("/concepts/wallets", width, async (page, asked) => {
        expect(asked.filter((path) => path.endsWith(".md"))).toEqual([]);
        await page.getByRole("button", { name: "Copy page", exact: true }).click();
        const status = page.locator("article [role=status]").first();
        await expect.poll(() => status.textContent()).toBe("Copied");
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        expect(copied).toBe(read("concepts/wallets.md"));
        await expect.poll(() => status.textContent()).toBe("");
      });
    },
  );

  test("a reader learns that a page could not be copied", async () => {
    await open("/concepts/wallets", 1440, async (page) => {
      await page.route("**/*.md", (route) => route.abort());
      await page.getByRole("button", { name: "Copy page", exact: true }).click();
      const status = page.locator("article [role=status]").first();
      await expect.poll(() => status.textContent()).toBe("Copy failed");
    });
  });

  test("keys open the menu, move in it, choose, and close it with the focus back", async () => {
    await open("/concepts/wallets", 1440, async (page) => {
      await more(page).focus();
      await page.keyboard.press("Enter");
      await expect.poll(() => focused(page)).toBe("Copy page as Markdown");
      await page.keyboard.press("ArrowDown");
      await expect.poll(() => focused(page)).toBe("View as Markdown");
      await page.keyboard.press("ArrowDown");
      await expect.poll(() => focused(page)).toBe("Copy page as Markdown");
      await page.keyboard.press("End");
      await expect.poll(() => focused(page)).toBe("View as Markdown");
      await page.keyboard.press("Escape");
      await expect.poll(() => page.getByRole("menu").count()).toBe(0);
      expect(await more(page).evaluate((button) => button === document.activeElement)).toBe(true);
      await page.keyboard.press("ArrowDown");
      await expect.poll(() => focused(page)).toBe("Copy page as Markdown");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.getByRole("menu").count()).toBe(0);
      const status = page.locator("article [role=status]").first();
      await expect.poll(() => status.textContent()).toBe("Copied");
    });
  });

  test("a press elsewhere closes the menu, and its second entry opens the Markdown", async () => {
    await open("/concepts/wallets", 390, async (page) => {
      await more(page).click();
      const menu = await page.getByRole("menu").boundingBox();
      expect(menu && menu.x >= 0 && menu.x + menu.width <= 390).toBe(true);
      await page
        .locator("h1")
        .first()
        .click({ position: { x: 300, y: 5 }, force: true });
      await expect.poll(() => page.getByRole("menu").count()).toBe(0);
      await more(page).click();
      await page.getByRole("menuitem", { name: "View as Markdown" }).click();
      await page.waitForURL("**/concepts/wallets.md");
      expect(await page.locator("body").textContent()).toContain("# Wallets");
    });
  });

  test("the feed of changes is XML, and a browser reads the first change from it", async () => {
    await open("/developer-reference/changelog", 1440, async (page) => {
      const found = await page.evaluate(async () => {
        const link = document.querySelector<HTMLLinkElement>("link[type='application/rss+xml']");
        const answer = await fetch(link?.href ?? "");
        const feed = new DOMParser().parseFromString(await answer.text(), "application/xml");
        return {
          type: answer.headers.get("content-type"),
          isBroken: feed.querySelector("parsererror") !== null,
          root: feed.documentElement.tagName,
          first: feed.querySelector("item > guid")?.textContent?.replace(/.*#/, ""),
          anchor: document.querySelector("article li[id]")?.id,
        };
      });
      expect(found).toMatchObject({ isBroken: false, root: "rss", first: found.anchor });
      expect(found.type).toMatch(/xml/);
    });
  });

  test("paper has the text in light colours, without what only a screen needs", async () => {
    await open("/getting-started/quickstart", 700, async (page) => {
      await page.evaluate(() => localStorage.setItem("theme", "dark"));
      await page.reload({ waitUntil: "networkidle" });
      await page.emulateMedia({ media: "print" });
      const found = await page.evaluate(() => {
        const isShown = (selector: string) =>
          [...document.querySelectorAll(selector)].some((each) => each.getClientRects().length > 0);
        const gone = [".navbar", ".footer", ".theme-doc-sidebar-container", ".pagination-nav"];
        const buttons = [".theme-doc-toc-desktop", ".theme-doc-toc-mobile", "main button"];
        const others = [".theme-doc-footer", ".theme-doc-breadcrumbs", ".hash-link"];
        const lightness = (color: string) =>
          Math.max(...(color.match(/\d+/g) ?? []).slice(0, 3).map(Number));
        const style = getComputedStyle(document.documentElement);
        const cut = [...document.querySelectorAll<HTMLElement>("main pre, main table")].filter(
          (each) =>
            each.scrollWidth > each.clientWidth + 1 &&
            getComputedStyle(each).overflowX !== "visible",
        );
        const right = Math.max(
          ...[...document.querySelectorAll("main pre *, main td, main p")].map(
            (each) => each.getBoundingClientRect().right,
          ),
        );
        return {
          theme: document.documentElement.dataset.theme,
          shown: [...gone, ...buttons, ...others].filter(isShown),
          isTextShown: isShown("main h1") && isShown("main pre"),
          paper: lightness(style.backgroundColor),
          ink: [...document.querySelectorAll("main p, main pre span")].map((each) =>
            lightness(getComputedStyle(each).color),
          ),
          cut: cut.length,
          right,
        };
      });
      expect(found).toMatchObject({ theme: "dark", shown: [], isTextShown: true, cut: 0 });
      expect(found.paper).toBeGreaterThan(240);
      expect(Math.max(...found.ink)).toBeLessThan(110);
      expect(found.right).toBeLessThanOrEqual(701);
      expect((await page.pdf({ format: "A4" })).length).toBeGreaterThan(10_000);
    });
  });
});
