import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser } from "../start/browser.ts";
import { eventually, pathOf, useFixture } from "./reader.ts";

describe.runIf(hasBrowser)("the mobile sidebar", () => {
  const { open } = useFixture();
  const viewport = { width: 390, height: 800 };
  const button = (page: Page) => page.getByRole("button", { name: "Toggle navigation bar" });
  const sidebar = (page: Page) => page.locator(".navbar-sidebar");
  const bodyOverflow = (page: Page) =>
    page.evaluate(() => getComputedStyle(document.body).overflowY);

  test("mobile is 996 px or less", async () => {
    await open(
      "/",
      async ({ page }) => {
        await button(page).click();
        await eventually(() => sidebar(page).isVisible()).toBe(true);
        expect(await page.locator(".theme-doc-sidebar-container").isVisible()).toBe(false);
      },
      { viewport: { width: 996, height: 800 } },
    );
    await open(
      "/",
      async ({ page }) => {
        expect(await button(page).isVisible()).toBe(false);
        await page.locator(".theme-doc-sidebar-container").waitFor();
      },
      { viewport: { width: 997, height: 800 } },
    );
  });

  test("the sidebar locks body scrolling while it is open", async () => {
    await open(
      "/long",
      async ({ page }) => {
        expect(await bodyOverflow(page)).toBe("visible");
        await button(page).click();
        await eventually(() => bodyOverflow(page)).toBe("hidden");
        await page.getByRole("button", { name: "Close navigation bar" }).click();
        await eventually(() => bodyOverflow(page)).toBe("visible");
      },
      { viewport },
    );
  });

  test("the sidebar closes on back, and the reader stays on the page", async () => {
    await open(
      "/",
      async ({ page }) => {
        await page.locator(".markdown a", { hasText: "the second page" }).click();
        await page.getByRole("heading", { name: "Second page" }).waitFor();
        await button(page).click();
        await eventually(() => bodyOverflow(page)).toBe("hidden");
        await page.evaluate(() => window.history.back());
        await eventually(() => bodyOverflow(page)).toBe("visible");
        await eventually(() => pathOf(page)).toBe("/second");
        await page.getByRole("heading", { name: "Second page" }).waitFor();
      },
      { viewport },
    );
  });

  test("the sidebar closes on desktop width", async () => {
    await open(
      "/",
      async ({ page }) => {
        await button(page).click();
        await eventually(() => bodyOverflow(page)).toBe("hidden");
        await page.setViewportSize({ width: 1200, height: 800 });
        await eventually(() => bodyOverflow(page)).toBe("visible");
        await eventually(() => sidebar(page).count()).toBe(0);
        await page.setViewportSize(viewport);
        await eventually(() => button(page).getAttribute("aria-expanded")).toBe("false");
      },
      { viewport },
    );
  });

  test("the sidebar's second panel is the docs sidebar", async () => {
    await open(
      "/",
      async ({ page }) => {
        await button(page).click();
        const [first, second] = [0, 1].map((index) =>
          page.locator(".navbar-sidebar__item").nth(index),
        );
        if (!first || !second) throw new Error("The sidebar has two panels");
        await eventually(() => isUsable(second)).toBe(true);
        expect(await second.locator(".theme-doc-sidebar-menu").count()).toBe(1);
        expect(await isUsable(first)).toBe(false);

        await second.getByRole("button", { name: "Back to main menu" }).click();
        await eventually(() => isUsable(first)).toBe(true);
        expect(await isUsable(second)).toBe(false);
        expect(await first.getByRole("link", { name: "Guide" }).count()).toBe(1);
      },
      { viewport },
    );
  });

  /** Whether the keyboard and screen readers reach a panel. */
  function isUsable(panel: ReturnType<Page["locator"]>): Promise<boolean> {
    return panel.evaluate((element) => !element.matches("[inert]"));
  }
});
