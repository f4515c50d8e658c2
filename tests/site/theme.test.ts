import { rmSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { closePages, hasBrowser, sharedBrowser, waitUntilReady } from "../start/browser.ts";
import { newDataDirectory } from "../start/data-directory.ts";
import { startService } from "../start/process.ts";

describe.runIf(hasBrowser)("before the reader chooses", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedBrowser();
  });
  afterAll(() => closePages());

  const theme = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme);
  const toggle = (page: Page) =>
    page
      .locator(".theme-layout-navbar-right")
      .getByRole("button", { name: /Switch between dark and light mode/ });

  async function openInTheDark(url: string): Promise<Page> {
    const context = await browser.newContext({ colorScheme: "dark" });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const refused: string[] = [];
    page.on("console", (line) => line.type() === "error" && refused.push(line.text()));
    onTestFinished(() => expect(refused).toEqual([]));
    await page.goto(`${url}/concepts/wallets`);
    await waitUntilReady(page);
    return page;
  }

  test("pages follow the system where the operator lets them, and a choice is kept", async () => {
    const directory = await newDataDirectory("site-theme");
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const service = await startService({
      KEYHEARTH_DATA_DIR: directory,
      KEYHEARTH_SITE_THEME: "system",
    });
    onTestFinished(async () => void (await service.stop()));
    const page = await openInTheDark(service.url);
    expect(await theme(page)).toBe("dark");
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(() => theme(page)).toBe("light");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => theme(page)).toBe("dark");
    await toggle(page).click();
    await expect.poll(() => theme(page)).toBe("light");
    await page.reload();
    expect(await theme(page)).toBe("light");
  });
});
