import type { Page } from "playwright-core";

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
