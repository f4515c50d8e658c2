import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, waitUntilReady } from "../start/browser.ts";
import { built, type Server, startServer } from "./fixture.ts";
import {
  eventually,
  open as openAt,
  pathOf,
  type Reader,
  useFixture,
  useOpenPages,
} from "./reader.ts";

// Each field of the shell's configuration changes what readers see. The large fixture has one value of
// each field, the small one another.

const source = "https://example.com/shell/shell";
const colour = (page: Page, selector: string, property: "color" | "backgroundColor") =>
  page.locator(selector).evaluate((element, name) => getComputedStyle(element)[name], property);

describe.runIf(hasBrowser)("fields of the configuration", () => {
  const { open, server, browser } = useFixture();
  const openPage = useOpenPages();
  const look = (path: string) => openPage(server().url + path);
  const lookAtSmallSite = (path: string) => openPage(smallSite.url + path);

  test("title and tagline", async () => {
    expect(await (await look("/second")).title()).toBe("Second page | Fixture");
    const main = (await look("/page")).locator("main");
    expect(await main.textContent()).toContain("A site that shows the shell");
  });

  describe("announcement bar", () => {
    const bar = ".theme-announcement-bar";

    test("content is HTML, and backgroundColor and textColor are its colours", async () => {
      const page = await look("/second");
      expect(await page.locator(`${bar} a b`).textContent()).toBe("second");
      expect(await colour(page, bar, "backgroundColor")).toBe("rgb(16, 32, 48)");
      expect(await colour(page, bar, "color")).toBe("rgb(250, 240, 230)");
    });

    test("isCloseable decides whether readers can close it", async () => {
      const closeable = await look("/");
      expect(await closeable.locator(`${bar} button`).count()).toBe(1);
      const page = await lookAtSmallSite("/");
      expect(await page.locator(bar).textContent()).toBe("News that stay");
      expect(await page.locator(`${bar} button`).count()).toBe(0);
    });
  });

  describe("navbar", () => {
    test("title and logo, which is another one in the dark", async () => {
      await open("/", async ({ page }) => {
        expect(await page.locator(".navbar__title").textContent()).toBe("Fixture title");
        const logo = page.locator(".navbar__brand img:visible");
        expect(await logo.getAttribute("alt")).toBe("Fixture logo");
        expect(await logo.getAttribute("src")).toBe("/img/logo.svg");
        await page.evaluate(() => localStorage.setItem("theme", "dark"));
        await page.reload();
        await waitUntilReady(page);
        expect(await logo.getAttribute("src")).toBe("/img/logo-dark.svg");
      });
    });

    test("style", async () => {
      const classes = (page: Page) => page.locator("nav.navbar").getAttribute("class");
      expect(await classes(await look("/"))).toMatch(/navbar--dark/);
      expect(await classes(await lookAtSmallSite("/"))).toMatch(/navbar--primary/);
    });

    test("hideOnScroll: without it the navbar stays", async () => {
      await onSmallSite(
        "/",
        async ({ page }) => {
          await page.mouse.move(200, 150);
          await page.mouse.wheel(0, 400);
          await eventually(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(100);
          await page.mouse.wheel(0, 100);
          expect((await page.locator("nav.navbar").boundingBox())?.y).toBeGreaterThanOrEqual(0);
          expect(await page.locator("nav.navbar").getAttribute("class")).not.toMatch(/hidden/i);
        },
        { viewport: { width: 500, height: 300 } },
      );
    });

    test("position puts items left or right, in their order", async () => {
      const page = await look("/");
      const texts = (side: string) =>
        page.locator(`${side} > .navbar__item`).evaluateAll((items) =>
          items.map((item) => {
            const label = item.matches("a") ? item : item.querySelector("a");
            return label?.textContent?.trim();
          }),
        );
      expect(await texts(".theme-layout-navbar-left")).toEqual([
        "Guide",
        "Second",
        "Plain page",
        "More",
      ]);
      expect(await texts(".theme-layout-navbar-right")).toEqual(["1.0", "English", "Source"]);
    });

    test("type, label, to and href of items, and items of a dropdown", async () => {
      const page = await look("/page");
      const link = (name: string) =>
        page.locator(".navbar").getByRole("link", { name, exact: true }).getAttribute("href");
      expect(await link("Guide")).toBe("/");
      expect(await link("Second")).toBe("/second");
      expect(await link("Plain page")).toBe("/page");
      const hrefs = (label: string) =>
        page
          .locator(".navbar .dropdown", { hasText: label })
          .locator(".dropdown__menu a")
          .evaluateAll((links) => links.map((each) => each.getAttribute("href")));
      expect(await hrefs("More")).toEqual(["/slow", "https://example.com/elsewhere"]);
      expect(await hrefs("English")).toEqual(["/page", "/es/page"]);
      expect(
        await page
          .locator(".theme-layout-navbar-right a", { hasText: "Source" })
          .getAttribute("href"),
      ).toBe(source);
    });
  });

  describe("footer", () => {
    test("style", async () => {
      const classes = (page: Page) => page.locator(".theme-layout-footer").getAttribute("class");
      expect(await classes(await look("/"))).toMatch(/footer--dark/);
      expect(await classes(await lookAtSmallSite("/"))).not.toMatch(/footer--dark/);
    });

    test("columns with title and items", async () => {
      const page = await look("/");
      const columns = await page
        .locator(".footer__col")
        .evaluateAll((all) =>
          all.map((column) => [
            column.querySelector(".footer__title")?.textContent,
            ...[...column.querySelectorAll("a")].map((link) => link.getAttribute("href")),
          ]),
        );
      expect(columns).toEqual([
        ["First column", "/second", "/page"],
        ["Second column", source],
      ]);
    });

    test("or a flat list of links", async () => {
      const page = await lookAtSmallSite("/");
      expect(await page.locator(".footer__col").count()).toBe(0);
      const links = await page
        .locator(".footer__links a")
        .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
      expect(links).toEqual([source, "/"]);
    });

    test("logo and copyright", async () => {
      const page = await look("/");
      const logo = page.locator(".theme-layout-footer a", { has: page.locator("img:visible") });
      expect(await logo.getAttribute("href")).toBe("https://example.com/maker");
      expect(await logo.locator("img:visible").getAttribute("alt")).toBe("Footer logo");
      expect(await page.locator(".footer__copyright b").textContent()).toBe("the fixture");
    });
  });

  describe("colour mode", () => {
    const theme = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme);
    const toggle = (page: Page) =>
      page
        .locator(".theme-layout-navbar-right")
        .getByRole("button", { name: /light mode|dark mode/i });

    test("defaultMode", async () => {
      expect(await theme(await lookAtSmallSite("/"))).toBe("dark");
    });

    test("disableSwitch takes the switch away and forgets what was chosen", async () => {
      expect(await toggle(await look("/")).count()).toBe(1);
      await onSmallSite("/", async ({ page }) => {
        expect(await toggle(page).count()).toBe(0);
        await page.evaluate(() => localStorage.setItem("theme", "light"));
        await page.reload();
        await waitUntilReady(page);
        expect(await theme(page)).toBe("dark");
        await eventually(() => page.evaluate(() => localStorage.getItem("theme"))).toBeNull();
      });
    });

    test("respectPrefersColorScheme takes the system's colours until the reader chooses", async () => {
      for (const colorScheme of ["dark", "light"] as const) {
        await open("/", async ({ page }) => expect(await theme(page)).toBe(colorScheme), {
          colorScheme,
        });
      }
      await onSmallSite("/", async ({ page }) => expect(await theme(page)).toBe("dark"), {
        colorScheme: "light",
      });
    });
  });

  describe("versions of the docs", () => {
    test("name, label and isLast: the last version is at the root, the other at its name", async () => {
      const page = await look("/third");
      const links = await page
        .locator(".dropdown", { hasText: "0.1 (old)" })
        .locator(".dropdown__menu a")
        .evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute("href")]));
      expect(links).toEqual([
        ["1.0", "/third"],
        ["0.1 (old)", "/0.1/third"],
      ]);
    });

    test("docs and sidebars: each version has its own", async () => {
      const sidebar = (page: Page) =>
        page
          .locator(".theme-doc-sidebar-menu > li > a, .theme-doc-sidebar-menu > li > div > a")
          .allTextContents();
      expect(await sidebar(await look("/"))).toEqual([
        "First page",
        "Chapter",
        "Appendix",
        "Plain page",
      ]);
      expect(await sidebar(await look("/0.1/"))).toEqual(["First page, old", "Third page, old"]);
    });

    test("draftIds: a navbar item for a draft is left out, and the draft has no page", async () => {
      const page = await look("/");
      expect(await page.locator(".navbar").getByText("Draft").count()).toBe(0);
      expect((await page.request.get(`${server().url}/draft`)).status()).toBe(404);
    });
  });

  describe("sidebar items", () => {
    test("a link, and a category with href and items", async () => {
      await open("/", async ({ page }) => {
        const item = (name: string) =>
          page.locator(".theme-doc-sidebar-menu").getByRole("link", { name, exact: true });
        expect(await item("Plain page").getAttribute("href")).toBe("/page");
        await item("Chapter").click();
        await page.getByRole("heading", { name: "Second page" }).waitFor();
        expect(pathOf(page)).toBe("/second");
        await item("Third page").waitFor();
        const elsewhere = page.locator(".theme-doc-sidebar-menu a", { hasText: "Elsewhere" });
        expect(await elsewhere.getAttribute("href")).toBe("https://example.com/chapter");
      });
    });
  });

  let smallSite: Server;
  beforeAll(async () => {
    smallSite = await startServer(await built("flat"));
  }, 240_000);
  afterAll(async () => {
    await smallSite?.stop();
  });

  function onSmallSite(
    path: string,
    use: (reader: Reader) => Promise<void>,
    options?: Parameters<typeof openAt>[3],
  ): Promise<void> {
    return openAt(browser(), smallSite.url + path, use, options);
  }
});
