import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser, waitUntilReady } from "../start/browser.ts";
import { pathOf, stored, useFixture } from "./reader.ts";

describe.runIf(hasBrowser)("the language and version switchers", () => {
  const { open } = useFixture();
  // High enough that a hash does not scroll, as scrolling down hides the navbar.
  const whole = { viewport: { width: 1440, height: 1800 } };

  /** Chooses an entry of the dropdown that now shows `current`. */
  async function choose(page: Page, current: string, entry: string) {
    const dropdown = page.locator(".theme-layout-navbar-right .dropdown", {
      has: page.locator(`> a:text-is("${current}")`),
    });
    await dropdown.hover();
    await dropdown.locator(".dropdown__menu").getByText(entry, { exact: true }).click();
  }

  test("the language switcher keeps path, query and hash; the default locale is at the base path", async () => {
    await open(
      "/second?tab=go&tab=rust#part-of-the-second",
      async ({ page }) => {
        expect(await page.locator("html").getAttribute("lang")).toBe("en");
        await choose(page, "English", "Español");
        await page.getByRole("heading", { name: "Segunda página" }).waitFor();
        await waitUntilReady(page);
        expect(pathOf(page)).toBe("/es/second?tab=go&tab=rust#part-of-the-second");
        expect(await page.locator("html").getAttribute("lang")).toBe("es");
        expect(await page.locator(".navbar").getByText("Guía").count()).toBe(1);

        await choose(page, "Español", "English");
        await page.getByRole("heading", { name: "Second page" }).waitFor();
        expect(pathOf(page)).toBe("/second?tab=go&tab=rust#part-of-the-second");
      },
      whole,
    );
  });

  test("a page without a translation falls back to the default language", async () => {
    await open("/es/third", async ({ page }) => {
      expect(await page.locator("h1").textContent()).toBe("Third page");
      expect(await page.locator(".navbar").getByText("Segunda").count()).toBe(1);
    });
  });

  test("the version switcher goes to the same doc if it exists, and remembers the version", async () => {
    await open("/third", async ({ page }) => {
      await choose(page, "1.0", "0.1 (old)");
      await page.getByRole("heading", { name: "Third page, old" }).waitFor();
      expect(pathOf(page)).toBe("/0.1/third");
      expect(await stored(page, "docs-preferred-version-default")).toBe("0.1");

      // The navbar leads to the docs of the version that the reader is in.
      await page.locator(".navbar").getByRole("link", { name: "Guide", exact: true }).click();
      await page.getByRole("heading", { name: "First page, old" }).waitFor();
      expect(pathOf(page)).toBe("/0.1/");

      await choose(page, "0.1 (old)", "1.0");
      await page.getByRole("heading", { name: "First page", exact: true }).waitFor();
      expect(await stored(page, "docs-preferred-version-default")).toBe("current");
    });
  });

  test("the version switcher goes to the version's main doc if the same doc does not exist", async () => {
    await open("/second", async ({ page }) => {
      await choose(page, "1.0", "0.1 (old)");
      await page.getByRole("heading", { name: "First page, old" }).waitFor();
      expect(pathOf(page)).toBe("/0.1/");
    });
  });
});
