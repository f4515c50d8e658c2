import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, waitUntilReady } from "../start/browser.ts";
import { built } from "./fixture.ts";
import { eventually, stored, useFixture } from "./reader.ts";

describe.runIf(hasBrowser)("what surrounds the pages", () => {
  const { open, server } = useFixture();
  // A test shows the other site, and has no time to build it.
  beforeAll(() => built("flat"), 240_000);
  const bar = (page: Page) => page.locator(".theme-announcement-bar");
  const navbar = (page: Page) => page.locator("nav.navbar");

  test("the announcement bar can be closed, stays closed, and shows again when its id changes", async () => {
    await open("/", async ({ page }) => {
      expect(await bar(page).isVisible()).toBe(true);
      expect(await stored(page, "docusaurus.announcement.id")).toBe("first");
      await bar(page).getByRole("button", { name: "Close" }).click();
      await eventually(() => bar(page).count()).toBe(0);
      expect(await stored(page, "docusaurus.announcement.dismiss")).toBe("true");

      await page.reload();
      await waitUntilReady(page);
      expect(await bar(page).isVisible()).toBe(false);

      // The same site after a release that announces something else.
      server().serve(await built("flat"));
      try {
        await page.reload();
        await waitUntilReady(page);
        await eventually(() => bar(page).isVisible()).toBe(true);
        expect(await bar(page).textContent()).toBe("News that stay");
        expect(await stored(page, "docusaurus.announcement.id")).toBe("second");
        expect(await stored(page, "docusaurus.announcement.dismiss")).toBe("false");
      } finally {
        server().serve(await built("docusaurus"));
      }
    });
  });

  test("the navbar hides when scrolling down past its own height, shows when scrolling up and at the top", async () => {
    await open("/long", async ({ page }) => {
      await bar(page).getByRole("button", { name: "Close" }).click();
      const height = (await navbar(page).boundingBox())?.height ?? 0;
      const top = async () => (await navbar(page).boundingBox())?.y;
      const scrollTo = async (y: number) => {
        // The position changes at once, but the page hears of it a frame later.
        await page.evaluate(
          (to) =>
            new Promise((resolve) => {
              window.addEventListener("scroll", resolve, { once: true });
              window.scrollTo(0, to);
            }).then(() => undefined),
          y,
        );
        await eventually(() => page.evaluate(() => window.scrollY)).toBe(y);
      };
      await scrollTo(height / 2);
      await scrollTo(height - 1);
      expect(await navbar(page).getAttribute("class")).not.toMatch(/hidden/i);

      await scrollTo(height + 400);
      await scrollTo(height + 500);
      await eventually(top).toBeLessThanOrEqual(-height);
      await scrollTo(height + 450);
      await eventually(top).toBe(0);
      await scrollTo(height + 600);
      await eventually(top).toBeLessThanOrEqual(-height);
      await scrollTo(0);
      await eventually(top).toBe(0);
    });
  });

  test("a dropdown opens on Enter, and closes on an outside press", async () => {
    await open("/", async ({ page }) => {
      const { button, menu } = more(page);
      await button.focus();
      await page.keyboard.press("Enter");
      await eventually(() => menu.isVisible()).toBe(true);
      expect(await button.getAttribute("aria-expanded")).toBe("true");
      await page.locator("h1").click();
      await eventually(() => menu.isVisible()).toBe(false);
      expect(await button.getAttribute("aria-expanded")).toBe("false");
    });
  });

  test("a dropdown closes when the focus goes outside", async () => {
    await open("/", async ({ page }) => {
      const { button, menu } = more(page);
      await button.focus();
      await page.keyboard.press("Enter");
      await eventually(() => menu.isVisible()).toBe(true);
      await page.keyboard.press("Tab");
      // The focus is inside, on the first item.
      expect(await menu.isVisible()).toBe(true);
      await page.locator(".markdown a").first().focus();
      await eventually(() => menu.isVisible()).toBe(false);
    });
  });

  function more(page: Page) {
    const dropdown = page.locator(".navbar .dropdown", { hasText: "More" });
    return {
      button: dropdown.locator("> a"),
      menu: dropdown.locator(".dropdown__menu"),
    };
  }

  test("GitHub and edit links are made from one configured repository URL", async () => {
    await open("/second", async ({ page }) => {
      const hrefs = await page
        .locator("a[target=_blank], .theme-edit-this-page")
        .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
      expect(hrefs).toContain("https://example.com/shell/shell");
      expect(hrefs).toContain("https://example.com/shell/shell/edit/main/fixture/docs/second.md");
      expect((await page.content()).includes("github.com/keyhearth")).toBe(false);
    });
  });

  test("the table of contents has the headings of levels 2 and 3", async () => {
    await open("/", async ({ page }) => {
      expect(await page.locator(".table-of-contents a").allTextContents()).toEqual([
        "A second level",
        "A third level",
      ]);
    });
  });

  test("collapse takes a time by content height", async () => {
    await open("/", async ({ page }) => {
      const times = await collapseTimes(page);
      expect(times.length).toBe(2);
      for (const { height, duration } of times) {
        expect(height).toBeGreaterThan(0);
        expect(duration).toBe(timeFor(height));
      }
      // The chapter has two items and the appendix one.
      expect(times[0]?.duration).toBeGreaterThan(times[1]?.duration ?? 0);
    });
  });

  test("collapse takes 1 ms under reduced motion", async () => {
    await open(
      "/",
      async ({ page }) => {
        const times = await collapseTimes(page);
        expect(times.map(({ duration }) => duration)).toEqual([1, 1]);
      },
      { reducedMotion: "reduce" },
    );
  });

  /** Longer for more content, but less than in proportion, and at most seconds. */
  function timeFor(height: number): number {
    const rows = height / 36;
    return Math.round(40 + 150 * rows ** 0.25 + 2 * rows);
  }

  /** Opens both categories of the sidebar and reads the transition of their lists. */
  async function collapseTimes(page: Page) {
    const times: { height: number; duration: number }[] = [];
    for (const name of ["Chapter", "Appendix"]) {
      const category = page.locator(".theme-doc-sidebar-item-category", { hasText: name });
      const style = await category.evaluate(async (element) => {
        const button = element.querySelector<HTMLElement>("button, [role=button], a[href='#']");
        const { promise, resolve } = Promise.withResolvers<{
          height: string;
          transition: string;
        }>();
        // Right when they are set: at the end of the transition, the height is no longer there.
        new MutationObserver(() => {
          const { height = "", transition = "" } = element.querySelector("ul")?.style ?? {};
          if (transition) resolve({ height, transition });
        }).observe(element, { subtree: true, childList: true, attributes: true });
        button?.click();
        return promise;
      });
      times.push({
        height: Number.parseFloat(style.height),
        duration: Number(/([\d.]+)ms/.exec(style.transition)?.[1]),
      });
    }
    return times;
  }

  test("the skip-to-content link is the first that the Tab key reaches, and moves the focus to the content", async () => {
    await open("/second", async ({ page }) => {
      await page.keyboard.press("Tab");
      const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
      expect(await focused()).toBe("Skip to main content");
      await page.keyboard.press("Enter");
      await eventually(focused).toMatch(/^(?!Skip).*Second page/s);
    });
  });
});
