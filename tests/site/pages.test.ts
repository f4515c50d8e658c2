import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scriptsOf } from "../../scripts/audit/browse.ts";
import { siteBuild } from "../../scripts/audit/built-pages.ts";
import { type ServedSite, serveSite } from "../../scripts/audit/serve.ts";
import { compressedBytes } from "../../scripts/audit/sizes.ts";
import { hasBrowser, launchBrowser } from "../start/browser.ts";

// The script of the home page, and of heavy pages of each kind. `npm run audit` weighs all pages. The
// reference of the policy language is still above the bound, by 5 KB.

const paths = [
  "/",
  "/category/advanced",
  "/concepts/policies/examples",
  "/concepts/wallets",
  "/developer-reference/api-overview/errors",
  "/embedded-wallets/code-examples/create-sub-org-passkey",
  "/sdks/rust",
];

describe.runIf(hasBrowser)("script before any interaction", () => {
  let site: ServedSite;
  let browser: Browser;

  beforeAll(async () => {
    [site, browser] = await Promise.all([serveSite(siteBuild), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });

  test.each(paths)(
    "of %s is less than 180 KB",
    async (path) => {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      await page.goto(site.url + path);
      // A page hydrates when all of its script is there. A quiet network may be a slow machine.
      await page.waitForFunction(() => document.documentElement.dataset.hasHydrated === "true");
      await page.waitForLoadState("networkidle");
      const scripts = await scriptsOf(page);
      await page.close();
      // The two files that the HTML names, and the page itself.
      expect(scripts.length).toBeGreaterThan(2);
      expect(compressedBytes(siteBuild, scripts)).toBeLessThan(180_000);
    },
    60_000,
  );
});
