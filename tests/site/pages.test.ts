import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browse, type Seen, type View } from "../../scripts/audit/browse.ts";
import { latestPages, siteBuild } from "../../scripts/audit/built-pages.ts";
import { compressedBytes } from "../../scripts/audit/sizes.ts";
import { closePages, hasBrowser, sharedBrowser } from "../start/browser.ts";
import { sharedProduct } from "../start/shared.ts";
import { sitePages } from "./built-pages.ts";

// Every page of the site as the service sends it, in a browser. Half of them are opened in the dark and
// half on a phone; `npm run audit` opens each in all four ways.

/** A translation must not make a page heavier. */
const heaviestInSpanish = "/es/concepts/policies/language";

/** The reference has the whole contract in its script, and the page about verification every answer, to filter them. */
const loadsMore = ["/api", "/security/verification"];

describe.runIf(hasBrowser)("every page", () => {
  let browser: Browser;
  let views: View[];
  let seen: Seen;

  beforeAll(async () => {
    browser = await sharedBrowser();
    const paths = [...latestPages(sitePages()).map(({ path }) => path), heaviestInSpanish];
    views = paths.map((path, at) => ({
      path,
      theme: at % 2 ? "dark" : "light",
      width: at % 4 < 2 ? 1440 : 390,
    }));
    const { url } = await sharedProduct();
    seen = await browse(browser, url, views);
  }, 600_000);
  afterAll(async () => {
    await closePages();
  });

  test("opens without an error, a fault that axe finds, sideways scrolling or a request elsewhere", () => {
    expect(views.length).toBeGreaterThan(100);
    expect(seen.faults).toEqual([]);
  });

  test("loads less than 180 KB of script before any interaction", () => {
    const sizes = [...seen.scripts].map(([path, scripts]) => {
      // The two files that the HTML names, and the page itself.
      expect(scripts.length, path).toBeGreaterThan(2);
      return { path, bytes: compressedBytes(siteBuild, scripts) };
    });
    expect(sizes).toHaveLength(views.length);
    const heavy = sizes.filter(({ bytes }) => bytes >= 180_000);
    expect(heavy.filter(({ path }) => !loadsMore.includes(path))).toEqual([]);
  });
});
