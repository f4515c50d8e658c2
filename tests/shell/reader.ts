import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { closePages, sharedBrowser, whenReady } from "../start/browser.ts";
import { built, type Server, startServer } from "./fixture.ts";

/** Somebody who reads a site in a browser without any earlier visits. */
export type Reader = {
  page: Page;
  context: BrowserContext;
  /** Lines of the console as `type: text`. */
  log: string[];
};

export type Open = (
  path: string,
  use: (reader: Reader) => Promise<void>,
  options?: Options,
) => Promise<void>;

export type Options = BrowserContextOptions & {
  /** What happens before the page is opened. */
  before?: (page: Page) => Promise<unknown>;
  /** What the page shows when it is ready. */
  ready?: string;
};

const viewport = { width: 1440, height: 900 };

/** Opens a page of `url`, waits until its scripts run, and closes everything after `use`. */
export async function open(
  browser: Browser,
  url: string,
  use: (reader: Reader) => Promise<void>,
  { before, ready = whenReady, ...options }: Options = {},
): Promise<void> {
  const context = await browser.newContext({ viewport, ...options });
  try {
    // A step that never comes says so before the test's own time is over.
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const log: string[] = [];
    page.on("console", (message) => log.push(`${message.type()}: ${message.text()}`));
    await before?.(page);
    await page.goto(url);
    await page.waitForSelector(ready);
    await use({ page, context, log });
  } finally {
    await context.close();
  }
}

/**
 * Pages that the tests of one file look at and leave as they are: the first that asks for an address opens it. A test
 * that presses, types or changes the storage has to `open` a page of its own.
 */
export function useOpenPages(): (url: string) => Promise<Page> {
  const pages = new Map<string, Promise<Page>>();
  const openPage = async (url: string) => {
    const context = await (await sharedBrowser()).newContext({ viewport });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForSelector(whenReady);
    return page;
  };
  return (url) => {
    const page = pages.get(url) ?? openPage(url);
    pages.set(url, page);
    return page;
  };
}

/** The large fixture and a browser for the tests of one file. */
export function useFixture(): { open: Open; server: () => Server; browser: () => Browser } {
  let server: Server;
  let browser: Browser;
  beforeAll(async () => {
    server = await startServer(await built("docusaurus"));
    browser = await sharedBrowser();
  }, 240_000);
  afterAll(async () => {
    await closePages();
    await server?.stop();
  });
  return {
    open: (path, use, options) => open(browser, server.url + path, use, options),
    server: () => server,
    browser: () => browser,
  };
}

/** The part of the window's address after the host. */
export function pathOf(page: Page): string {
  const { pathname, search, hash } = new URL(page.url());
  return pathname + search + hash;
}

/** A value that the page keeps in its storage. */
export function stored(page: Page, key: string): Promise<string | null> {
  return page.evaluate((name) => localStorage.getItem(name), key);
}

/** Expects something of a value that becomes right in a while. */
export function eventually<T>(read: () => T | Promise<T>) {
  return expect.poll(read);
}
