import type { Page } from "playwright-core";
import { expect } from "vitest";
import { waitUntilReady } from "../start/browser.ts";

/** What is open, with whatever else a file notes of it. */
type Opened = { page: Page };

/**
 * To load a page, to start its scripts and to read the records of the search takes most of the time of a test, so a page
 * stays open for the tests after the first, each of which finds it where it was. `restore` takes back what a test does
 * there: it runs after each, and a page that a test failed on is used by no other.
 */
export function keepPages<T extends Opened>(
  open: (url: string) => Promise<T>,
  restore: (opened: T) => Promise<void>,
): (url: string, use: (opened: T) => Promise<void>) => Promise<void> {
  const kept = new Map<string, T>();
  return async (url, use) => {
    const opened = kept.get(url) ?? (await open(url));
    kept.delete(url);
    await use(opened);
    // Some tests follow one link.
    if (opened.page.url() !== url) await opened.page.goBack();
    await opened.page.waitForURL(url);
    await restore(opened);
    kept.set(url, opened);
  };
}

/**
 * One browser page for each part of a site that is built by itself, such as a language. From one address to the next it
 * goes as a link of the site goes there, so scripts and records are loaded once. A test that is about loading a page opens
 * one itself.
 *
 * @param partOf the address of a page in the part that this address is in.
 */
export function keepTabs<T extends Opened>(
  partOf: (url: string) => string,
  open: (url: string) => Promise<T>,
  restore: (opened: T) => Promise<void>,
): (url: string, use: (opened: T) => Promise<void>) => Promise<void> {
  const kept = new Map<string, T>();
  const titles = new Map<string, string>();
  return async (url, use) => {
    const home = partOf(url);
    const opened = kept.get(home) ?? (await open(home));
    kept.delete(home);
    const at = opened.page.url();
    // Where a test went out of this part of the site, there are other scripts.
    if (new URL(at).origin !== new URL(home).origin || partOf(at) !== home) {
      await load(opened.page, home);
    }
    // A page that is left and comes again has nothing of the test before.
    const title = titles.get(home) ?? (await opened.page.title());
    titles.set(home, title);
    await goTo(opened.page, home, (shown) => shown === title);
    if (url !== home) await goTo(opened.page, url, (shown) => shown !== title);
    await use(opened);
    await restore(opened);
    kept.set(home, opened);
  };
}

async function load(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await waitUntilReady(page);
}

/**
 * As the site's own links do it. The address changes before the page does, and also before a page that a test followed a
 * link to is there. Only the title says which page is shown.
 */
async function goTo(page: Page, url: string, isThere: (title: string) => boolean): Promise<void> {
  if (page.url() !== url) {
    await page.evaluate((to) => {
      history.pushState(null, "", to);
      dispatchEvent(new PopStateEvent("popstate"));
    }, url);
  }
  await expect.poll(async () => isThere(await page.title())).toBe(true);
}
