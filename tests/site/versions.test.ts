import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browse, type View } from "../../scripts/audit/browse.ts";
import { builtPages, keptVersions, ownPages, siteBuild } from "../../scripts/audit/built-pages.ts";
import { closePages, hasBrowser, sharedBrowser, waitUntilReady } from "../start/browser.ts";
import { isLong } from "../start/long-form.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import { read } from "./built-pages.ts";

// Earlier versions of the site are below their names, and nobody who reads the current one is sent there.
// `links.test.ts` follows all links of all versions.

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);
const all = builtPages(siteBuild);
const kept = keptVersions().map((name) => ({
  name,
  pages: all.filter(({ path }) => path === `/${name}` || path.startsWith(`/${name}/`)),
}));

/** Files that pages call those of the service that shows them. */
const ofService = ["/openapi.json", "/developer-reference/changelog/rss.xml"];

/** The addresses in the site that a page leads to, each once. */
function addressesIn(html: string): string[] {
  const markup = html.replace(/<(script|pre|code)\b.*?<\/\1>/gs, "");
  const found = [...markup.matchAll(/\b(?:href|src)=(?:"(\/[^"]*)"|(\/[^\s>]*))/g)];
  return [...new Set(found.map(([, quoted, bare]) => quoted ?? bare ?? ""))];
}

test("there is a site for each release before this one", () => {
  const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  const released = [...changelog.matchAll(/^## (\d+\.\d+)\.\d+ - /gm)].map(([, name = ""]) => name);
  const own = version.replace(/\.\d+$/, "");
  const names = kept.map(({ name }) => name);
  expect(names).toContain("0.1");
  expect(names).toEqual(expect.arrayContaining(released.filter((name) => name !== own)));
});

describe.each(kept)("version $name", ({ name, pages }) => {
  const placeOf = (path: string) => path.slice(name.length + 1).replace(/^\/404$/, "") || "/";

  test("has the whole documentation of its time", () => {
    expect(pages.length).toBeGreaterThan(100);
    for (const path of ["/concepts/wallets", "/self-hosting", "/api", "/sdks/introduction"]) {
      expect(pages.map((page) => placeOf(page.path))).toContain(path);
    }
  });

  test("says on every page which version it is, and leaves search to the current one", () => {
    for (const { path, html } of pages) {
      const text = html.replaceAll('"', "");
      expect(text, path).toMatch(
        new RegExp(`This is the documentation of Keyhearth (<!-- -->)?${name}\\b`),
      );
      expect(text, path).toMatch(/<meta[^>]* name=robots content=noindex\b/);
      const canonical = /<link[^>]* rel=canonical href=([^\s>]+)/.exec(text)?.[1] ?? "";
      expect(new URL(canonical).pathname.replace(/(?<=.)\/$/, ""), path).toBe(placeOf(path));
    }
  });

  test("has links to itself, and to the current page from the switcher and the notice", () => {
    for (const { path, html } of pages) {
      const outside = addressesIn(html).filter(
        (each) => !each.startsWith(`/${name}/`) && !ofService.includes(each),
      );
      expect(outside, path).toEqual([placeOf(path)]);
    }
  });

  test("is reached from the current version by the switcher alone, and is in no list", () => {
    for (const { path, html } of ownPages(all)) {
      const inside = addressesIn(html).filter((each) => each.startsWith(`/${name}`));
      expect(inside.length, path).toBeLessThan(2);
    }
    for (const list of ["sitemap.xml", "es/sitemap.xml", "llms.txt", "llms-full.txt"]) {
      expect(read(list)).not.toContain(`/${name}/`);
    }
  });
});

describe.runIf(hasBrowser)("in a browser", () => {
  let service: SharedProduct;
  let browser: Browser;
  beforeAll(async () => {
    service = await sharedProduct();
    browser = await sharedBrowser();
  }, 120_000);
  afterAll(() => closePages());

  async function open(path: string): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(service.url + path);
    await waitUntilReady(page);
    return page;
  }
  const dropdownOf = (page: Page, label: string) =>
    page.locator(".navbar .dropdown").filter({ has: page.getByRole("button", { name: label }) });

  async function choose(page: Page, from: string, to: string) {
    const dropdown = dropdownOf(page, from);
    await dropdown.hover();
    await dropdown.getByRole("link", { name: to, exact: true }).click();
  }
  const arrived = (page: Page, path: string) => page.waitForURL(service.url + path);

  test("the switcher goes to the same page, and back", async () => {
    const page = await open("/concepts/wallets");
    await choose(page, version, "0.1");
    await arrived(page, "/0.1/concepts/wallets");
    await waitUntilReady(page);
    await choose(page, "0.1", version);
    await arrived(page, "/concepts/wallets");
  });

  test("from Spanish it goes to the English page of an earlier version", async () => {
    const page = await open("/es/concepts/wallets");
    await choose(page, version, "0.1");
    await arrived(page, "/0.1/concepts/wallets");
  });

  test("keys open the switcher and choose", async () => {
    const page = await open("/concepts/overview");
    const dropdown = dropdownOf(page, version);
    await dropdown.getByRole("button").focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => dropdown.getByRole("list").isVisible()).toBe(true);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await arrived(page, "/0.1/concepts/overview");
  });

  test("a page that the other version lacks leads to that version's home", async () => {
    const page = await open("/no/such/page");
    await choose(page, version, "0.1");
    await arrived(page, "/0.1/");
    await page.goto(`${service.url}/0.1/no/such/page`);
    await waitUntilReady(page);
    expect(await page.locator("main").textContent()).toContain("This page does not exist");
    await choose(page, "0.1", version);
    await arrived(page, "/");
  });

  test("the notice leads to the current page", async () => {
    const page = await open("/0.1/concepts/users/root-quorum");
    await page.getByRole("link", { name: "Read this page for the current version" }).click();
    await arrived(page, "/concepts/users/root-quorum");
  });

  test("an earlier version opens without an error or a fault that axe finds", async () => {
    const { path, hasContrast } = { path: "/0.1/concepts/wallets", hasContrast: true };
    const views: View[] = [
      { path, theme: "light", width: 1440, hasContrast },
      ...(isLong ? [{ path, theme: "dark" as const, width: 390, hasContrast }] : []),
    ];
    const { faults } = await browse(browser, service.url, views, { savesData: true });
    expect(faults).toEqual([]);
  }, 120_000);
});
