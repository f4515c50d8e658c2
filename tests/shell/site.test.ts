import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser, sharedBrowser, waitUntilReady } from "../start/browser.ts";
import { isLong } from "../start/long-form.ts";
import { type Server, startServer } from "./fixture.ts";
import { eventually, type Options, open, type Reader, useOpenPages } from "./reader.ts";

// What the site itself puts into the shell. The fixtures show what the shell does with it.

const directory = fileURLToPath(new URL("../../apps/website/build", import.meta.url));
const page = "/getting-started/quickstart";

describe.runIf(hasBrowser)("the shell of the site", () => {
  let server: Server;
  let browser: Browser;
  beforeAll(async () => {
    if (!existsSync(directory))
      throw new Error("Build the site first: npm run build in apps/website");
    server = await startServer(directory);
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await closePages();
    await server?.stop();
  });

  const visit = (path: string, use: (reader: Reader) => Promise<void>, options?: Options) =>
    open(browser, server.url + path, use, options);
  const openPage = useOpenPages();
  const look = (path: string) => openPage(server.url + path);
  const theme = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme);

  test("title and tagline, with the delimiter |", async () => {
    const home = await (await look("/")).title();
    expect(home).toMatch(/^[^|]+ \| Keyhearth$/);
    expect(home).toContain("Self-hosted, non-custodial keys and wallets");
    expect(await (await look(page)).title()).toMatch(/^[^|]+ \| Keyhearth$/);
  });

  test("the navbar has Documentation, Solutions, SDK Reference and API Reference left, GitHub right", async () => {
    const shown = await look(page);
    const labels = (side: string) =>
      shown.locator(`.theme-layout-navbar-${side} > a.navbar__item`).allTextContents();
    expect(await labels("left")).toEqual([
      "Documentation",
      "Solutions",
      "SDK Reference",
      "API Reference",
    ]);
    expect(await labels("right")).toContain("GitHub");
  });

  test("Documentation leads home, and is marked there and on the pages of its sidebar", async () => {
    const marked = async (path: string) =>
      (await look(path))
        .locator(".theme-layout-navbar-left > a.navbar__link--active")
        .evaluateAll((links) => links.map((link) => [link.textContent, link.getAttribute("href")]));
    expect(await marked("/")).toEqual([["Documentation", "/"]]);
    expect(await marked("/es")).toEqual([["Documentación", "/es/"]]);
    expect(await marked(page)).toEqual([["Documentation", "/"]]);
    expect(await marked("/embedded-wallets/overview")).toEqual([["Solutions", expect.anything()]]);
  });

  test("the footer has the columns Guides, Social and More, and a copyright from 2025", async () => {
    const shown = await look(page);
    expect(await shown.locator(".footer__title").allTextContents()).toEqual([
      "Guides",
      "Social",
      "More",
    ]);
    const year = new Date().getFullYear();
    expect(await shown.locator(".footer__copyright").textContent()).toContain(
      year > 2025 ? `© 2025–${year}` : "© 2025",
    );
  });

  test("all GitHub and edit links begin with one repository URL", async () => {
    const shown = await look(page);
    const hrefs = await shown
      .locator(".navbar a, .footer a, .theme-edit-this-page")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
    const onGitHub = hrefs.filter((href) => href.startsWith("https://github.com/"));
    const [repository] = onGitHub;
    // In the navbar, in the footer's column and below the page.
    expect(onGitHub.length).toBeGreaterThanOrEqual(4);
    for (const href of onGitHub) expect(href.startsWith(repository ?? "none")).toBe(true);
    expect(onGitHub).toContain(
      `${repository}/edit/main/apps/website/docs/getting-started/quickstart.mdx`,
    );
  });

  test("light is the default, also where the system is dark, and a cleared value falls back to it", async () => {
    await visit(
      page,
      async ({ page, context }) => {
        expect(await theme(page)).toBe("light");
        await page
          .locator(".theme-layout-navbar-right")
          .getByRole("button", { name: /Switch between dark and light mode/ })
          .click();
        await eventually(() => theme(page)).toBe("dark");
        const other = await context.newPage();
        await other.goto(server.url + page.url().slice(server.url.length));
        await waitUntilReady(other);
        await other.evaluate(() => localStorage.removeItem("theme"));
        await eventually(() => theme(page)).toBe("light");
      },
      { colorScheme: "dark" },
    );
  });

  test("no announcement bar shows unless one is configured", async () => {
    const shown = await look("/");
    expect(await shown.locator(".theme-announcement-bar").count()).toBe(0);
  });

  // The home page, and the one that can call all of the API. In the long form also those with playgrounds.
  test.each(["/", "/api", ...(isLong ? [page, "/concepts/policies/language"] : [])])(
    "%s calls no API before the reader connects or sends",
    async (path) => {
      const calls: string[] = [];
      await visit(
        path,
        async ({ page }) => {
          await page.mouse.move(200, 400);
          await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
          await page.waitForLoadState("networkidle");
          expect(calls).toEqual([]);
        },
        {
          before: async (page) => {
            page.on("request", (request) => {
              const isCall = ["fetch", "xhr", "websocket", "ping"].includes(request.resourceType());
              if (isCall || request.method() !== "GET" || !request.url().startsWith(server.url)) {
                calls.push(`${request.method()} ${request.url()}`);
              }
            });
          },
        },
      );
    },
  );
});
