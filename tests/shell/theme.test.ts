import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser, waitUntilReady } from "../start/browser.ts";
import { eventually, stored, useFixture } from "./reader.ts";

// The fixture respects the system's colours; the site itself does not, and is tested with the product.

describe.runIf(hasBrowser)("the theme switch and the storage", () => {
  const { open, server } = useFixture();
  const theme = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme);
  const toggle = (page: Page) =>
    page
      .locator(".theme-layout-navbar-right")
      .getByRole("button", { name: /Switch between dark and light mode/ });
  /** From the system's colours to light, and from there to dark. */
  async function chooseDark(page: Page) {
    await toggle(page).click();
    await toggle(page).click();
    await eventually(() => theme(page)).toBe("dark");
  }

  test("the theme switch keeps the choice under the key `theme`", async () => {
    await open("/", async ({ page }) => {
      expect(await theme(page)).toBe("light");
      await chooseDark(page);
      expect(await stored(page, "theme")).toBe("dark");
      await page.reload();
      expect(await theme(page)).toBe("dark");
    });
  });

  test("the theme switch follows other tabs", async () => {
    await open("/", async ({ page, context }) => {
      const other = await context.newPage();
      await other.goto(`${server().url}/second`);
      await waitUntilReady(other);
      await chooseDark(other);
      await eventually(() => theme(page)).toBe("dark");
      // From dark to the system's colours.
      await toggle(page).click();
      await eventually(() => theme(page)).toBe("light");
      await eventually(() => theme(other)).toBe("light");
    });
  });

  test.each([
    ["a cleared value", () => localStorage.removeItem("theme")],
    ["a cleared storage", () => localStorage.clear()],
  ])("%s falls back to the system where it is respected", async (_case, clear) => {
    for (const colorScheme of ["dark", "light"] as const) {
      const chosen = colorScheme === "dark" ? "light" : "dark";
      await open(
        "/",
        async ({ page, context }) => {
          expect(await theme(page)).toBe(chosen);
          const other = await context.newPage();
          await other.goto(`${server().url}/second`);
          await other.evaluate(clear);
          await eventually(() => theme(page)).toBe(colorScheme);
        },
        {
          colorScheme,
          storageState: {
            cookies: [],
            origins: [{ origin: server().url, localStorage: [{ name: "theme", value: chosen }] }],
          },
        },
      );
    }
  });

  test("storage errors are logged and ignored", async () => {
    await open(
      "/",
      async ({ page, log }) => {
        await chooseDark(page);
        await page.getByRole("button", { name: "Close" }).click();
        await eventually(() => page.locator(".theme-announcement-bar").count()).toBe(0);
        const errors = log.filter((line) => line.startsWith("error:")).join("\n");
        expect(errors).toContain("Docusaurus storage error, can't set theme=dark");
        expect(errors).toContain("can't set docusaurus.announcement.dismiss=true");
        expect(errors).toContain("the disk is full");
      },
      {
        before: (page) =>
          page.addInitScript(() => {
            Storage.prototype.setItem = () => {
              throw new Error("the disk is full");
            };
          }),
      },
    );
  });

  test("no storage is a no-op", async () => {
    await open(
      "/",
      async ({ page, log }) => {
        await chooseDark(page);
        await page.getByRole("button", { name: "Close" }).click();
        await eventually(() => page.locator(".theme-announcement-bar").count()).toBe(0);
        expect(log.filter((line) => line.startsWith("error:"))).toEqual([]);
        expect(log.join("\n")).toContain("Docusaurus browser storage is not available");
      },
      {
        before: (page) =>
          page.addInitScript(() => {
            Object.defineProperty(window, "localStorage", {
              get() {
                throw new DOMException("Access is denied for this document.", "SecurityError");
              },
            });
          }),
      },
    );
  });
});
