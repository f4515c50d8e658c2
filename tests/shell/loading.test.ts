import type { Page, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser, waitUntilReady } from "../start/browser.ts";
import { built, startServer } from "./fixture.ts";
import { eventually, type Open, pathOf, useFixture } from "./reader.ts";

// How pages come, and what readers see if they don't.

/** Keeps scripts that the page asks for back until the test lets them go. */
async function holdScripts(page: Page) {
  const held: Route[] = [];
  let isHolding = true;
  await page.route("**/*.js", async (route) => {
    if (isHolding) held.push(route);
    else await route.continue();
  });
  return {
    held,
    async letGo() {
      isHolding = false;
      for (const route of held.splice(0)) await route.continue();
    },
    async abort() {
      for (const route of held.splice(0)) await route.abort();
    },
  };
}

const plainPage = (page: Page) => page.locator(".navbar").getByRole("link", { name: "Plain page" });

/** Addresses of the scripts that the page asks for from now on, in this list as they come. */
function watchScripts(page: Page): string[] {
  const addresses: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "script") addresses.push(request.url());
  });
  return addresses;
}

/** As the browser says it for a slow or a metered connection. */
function connection(properties: { effectiveType: string; saveData: boolean }) {
  return (page: Page) =>
    page.addInitScript((value) => {
      Object.defineProperty(navigator, "connection", { value });
    }, properties);
}

describe.runIf(hasBrowser)("the way to the next page", () => {
  const { open, browser } = useFixture();

  test("the next page is preloaded before the switch", async () => {
    await open("/", async ({ page }) => {
      const scriptsOfNextPage = await holdScripts(page);
      await plainPage(page).click();
      await eventually(() => scriptsOfNextPage.held.length).toBeGreaterThan(0);
      expect(await page.locator("h1").textContent()).toBe("First page");
      await scriptsOfNextPage.letGo();
      await page.getByText("A page", { exact: true }).waitFor();
      expect(await page.locator("h1").count()).toBe(0);
    });
  });

  test("a link that the reader points at has its page preloaded", async () => {
    await open(
      "/",
      async ({ page }) => {
        await eventually(() => page.locator("link[rel=prefetch]").count()).toBeGreaterThan(0);
        const scripts = watchScripts(page);
        await plainPage(page).hover();
        await eventually(() => scripts.length).toBeGreaterThan(0);
        expect(pathOf(page)).toBe("/");
      },
      { before: connection({ effectiveType: "4g", saveData: false }) },
    );
  });

  test.each([
    ["on 2g", { effectiveType: "2g", saveData: false }],
    ["on slow 2g", { effectiveType: "slow-2g", saveData: false }],
    ["with data saver", { effectiveType: "4g", saveData: true }],
  ])("nothing is preloaded %s before the reader asks for a page", async (_case, properties) => {
    await open(
      "/",
      async ({ page }) => {
        const scripts = watchScripts(page);
        await plainPage(page).hover();
        await page.locator("h1").hover();
        expect(scripts).toEqual([]);
        expect(await page.locator("link[rel=prefetch]").count()).toBe(0);
        await plainPage(page).click();
        await page.getByText("A page", { exact: true }).waitFor();
        expect(scripts.length).toBeGreaterThan(0);
      },
      { before: connection(properties) },
    );
  });

  test("a failed route chunk warns and reloads the page", async () => {
    await open("/", async ({ page, log }) => {
      let isFailing = true;
      await page.route("**/*.js", (route) => (isFailing ? route.abort() : route.continue()));
      page.on("request", (request) => {
        if (request.isNavigationRequest()) isFailing = false;
      });
      const reload = page.waitForEvent("load");
      await plainPage(page).click();
      await reload;
      expect(pathOf(page)).toBe("/page");
      await waitUntilReady(page);
      await page.getByText("A page", { exact: true }).waitFor();
      expect(log.filter((line) => line.startsWith("warning:")).join()).toMatch(/chunk/i);
    });
  });

  test("the progress bar starts at 0.08, moves in 200 ms and trickles by up to 0.02 each 800 ms", async () => {
    await open("/", async ({ page }) => {
      const next = await holdScripts(page);
      await page.evaluate(recordProgress);
      await plainPage(page).click();
      const steps = () => page.evaluate(() => window.progress ?? []);
      await eventually(async () => (await steps()).length).toBeGreaterThan(2);
      await next.letGo();
      await page.getByText("A page", { exact: true }).waitFor();
      await eventually(() => page.locator("#nprogress").count()).toBe(0);

      const [first, second, third] = await steps();
      expect(first?.status).toBeCloseTo(0.08, 9);
      expect(first?.transition).toBe("200ms");
      for (const [from, to] of [
        [first, second],
        [second, third],
      ]) {
        if (!from || !to) throw new Error("The bar did not trickle");
        expect(to.status - from.status).toBeGreaterThan(0);
        expect(to.status - from.status).toBeLessThanOrEqual(0.02 + 1e-9);
      }
      // The second trickle is 800 ms after the first. A busy machine can only make it later.
      expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThan(700);
    });
  });

  test("loading shows a spinner", async () => {
    await openSlowPart(open, async (page, part) => {
      await page.getByRole("status", { name: "Loading" }).waitFor();
      await part.letGo();
      await page.getByText("The slow part is here").waitFor();
      expect(await page.getByRole("status", { name: "Loading" }).count()).toBe(0);
    });
  });

  test("a load failure shows its error text with Retry", async () => {
    await openSlowPart(open, async (page, part) => {
      await part.abort();
      const alert = page.getByRole("alert");
      await alert.waitFor();
      expect(await alert.textContent()).toMatch(/ChunkLoadError: Loading chunk .* failed/);
      await part.letGo();
      await page.getByRole("button", { name: "Retry" }).click();
      await page.getByText("The slow part is here").waitFor();
    });
  });

  test("a crash shows `This page crashed.` with `Try again` and the cause chain", async () => {
    await open("/crash", async ({ page }) => {
      await page.getByRole("button", { name: "Break it" }).click();
      await page.getByRole("heading", { name: "This page crashed.", exact: true }).waitFor();
      expect(await page.locator("main").textContent()).toContain(
        "The fragile part broke\n\nCause:\nA hammer hit it\n\nCause:\nSomebody swung the hammer",
      );
      await page.getByRole("button", { name: "Try again", exact: true }).click();
      await page.getByRole("button", { name: "Break it" }).waitFor();
    });
  });

  test.each([
    [{ type: "carousel" }, `No NavbarItem component found for type "carousel"`],
    [{ type: "docSidebar", sidebarId: "none" }, `Can't find any sidebar with id "none"`],
    [{ type: "doc", docId: "none" }, `Couldn't find any doc with id "none"`],
    [
      { type: "docSidebar", sidebarId: "nothing" },
      `Sidebar with ID "nothing" doesn't have anything to be linked to`,
    ],
  ])("a failing navbar item %o shows the developer the item and the cause", async (item, cause) => {
    await open(
      `/navbar-item?item=${encodeURIComponent(JSON.stringify(item))}`,
      async ({ page }) => {
        const text = (await page.locator("main").textContent()) ?? "";
        const [message, ...causes] = text.split("Cause:\n");
        expect(message).toContain("A theme navbar item failed to render.");
        expect(message).toContain(JSON.stringify(item, null, 2));
        expect(causes.join()).toContain(cause);
      },
      { ready: "h1:text-is('This page crashed.')" },
    );
  });

  test("an unknown path shows the not-found page", async () => {
    await open("/no/such/page", async ({ page }) => {
      await page.getByRole("heading", { name: "This page does not exist" }).waitFor();
      const answer = await page.request.get(page.url());
      expect(answer.status()).toBe(404);
    });
  });

  test("a wrong base URL shows a banner on the home page, and only there", async () => {
    const server = await startServer(await built("docusaurus"), "/elsewhere/");
    const page = await browser().newPage();
    try {
      const banner = page.getByText("Your Docusaurus site did not load properly.");
      await page.goto(`${server.url}/elsewhere/`);
      await banner.waitFor();
      expect(await page.locator("body").textContent()).toMatch(
        /We suggest trying baseUrl = \/elsewhere\//,
      );
      await page.goto(`${server.url}/elsewhere/second`);
      expect(await banner.count()).toBe(0);
    } finally {
      await page.close();
      await server.stop();
    }
  });

  test("a right base URL shows no banner", async () => {
    await open("/", async ({ page }) => {
      expect(await page.getByText("did not load properly").count()).toBe(0);
    });
  });
});

async function openSlowPart(
  openPage: Open,
  use: (page: Page, part: Awaited<ReturnType<typeof holdScripts>>) => Promise<void>,
) {
  await openPage("/slow", async ({ page }) => {
    const part = await holdScripts(page);
    await page.getByRole("button", { name: "Show the part" }).click();
    await eventually(() => part.held.length).toBeGreaterThan(0);
    await use(page, part);
  });
}

type Progress = { status: number; transition: string; at: number };

declare global {
  interface Window {
    progress?: Progress[];
  }
}

/** Runs in the page: notes each value that the bar is moved to. */
function recordProgress() {
  const steps: Progress[] = [];
  window.progress = steps;
  new MutationObserver(() => {
    const bar = document.querySelector<HTMLElement>("#nprogress .bar");
    const offset = /translate3d\((-?[\d.]+)%/.exec(bar?.style.transform ?? "")?.[1];
    if (!bar || offset === undefined) return;
    const status = 1 + Number(offset) / 100;
    const transition = /[\d.]+ms/.exec(bar.style.transition)?.[0] ?? "";
    if (status > 0 && transition && steps.at(-1)?.status !== status) {
      steps.push({ status, transition, at: performance.now() });
    }
  }).observe(document.documentElement, { subtree: true, childList: true, attributes: true });
}
