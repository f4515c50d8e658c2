import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { siteBuild } from "../../scripts/audit/built-pages.ts";
import { closePages, hasBrowser, sharedBrowser, waitUntilReady } from "../start/browser.ts";
import { newDataDirectory } from "../start/data-directory.ts";
import { isLong } from "../start/long-form.ts";
import { compiled, type Service, startService } from "../start/process.ts";
import { startPlainHost } from "./plain-files.ts";

// What readers see below a page, in a real browser: from the service, and from a host of plain files.

const root = fileURLToPath(new URL("../../", import.meta.url));
const path = "/concepts/wallets";

let service: Service;
let browser: Browser;
let context: BrowserContext;
let dataDirectory: string;
let page: Page;
let sent: string[];
let problems: string[];

beforeAll(async () => {
  dataDirectory = await newDataDirectory("feedback");
  service = await startService({ KEYHEARTH_DATA_DIR: dataDirectory });
  if (hasBrowser) {
    browser = await sharedBrowser();
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  }
  // The first of five that this address may send.
  const { status } = await fetch(`${service.url}/feedback`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: service.url },
    body: JSON.stringify({ page: "/faq", helpful: false, text: "Two\nlines." }),
  });
  expect(status).toBe(204);
});

afterAll(async () => {
  await closePages();
  await service?.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
});

async function open(url: string) {
  page = await context.newPage();
  sent = [];
  problems = [];
  page.on("request", (request) => {
    if (request.url().includes("/feedback")) sent.push(request.postData() ?? "");
  });
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(url);
  await waitUntilReady(page);
}

const yes = () => page.getByRole("button", { name: "Yes", exact: true });
const no = () => page.getByRole("button", { name: "No", exact: true });
const text = () => page.getByRole("textbox", { name: /\(optional\)/ });
const send = () => page.getByRole("button", { name: /^Send( again)?$/ });
const failure = () => page.getByRole("alert").filter({ hasText: /\S/ });
const thanks = () => page.getByRole("status").filter({ hasText: "Thank you" });

describe.runIf(hasBrowser)("the question below a page", () => {
  afterEach(() => page.close());

  describe("from the service", () => {
    beforeEach(() => open(service.url + path));

    test("asks the service for nothing until an answer is sent", async () => {
      await yes().scrollIntoViewIfNeeded();
      await yes().click();
      await no().click();
      await text().fill("Not yet sent.");
      await page.waitForLoadState("networkidle");
      expect(sent).toEqual([]);
      expect(problems).toEqual([]);
    });

    test("is answered with the keyboard alone, and says so to screen readers", async () => {
      await expect(
        page.getByRole("group", { name: "Was this page helpful?" }).count(),
      ).resolves.toBe(1);
      await no().focus();
      await page.keyboard.press("Enter");
      expect(await no().getAttribute("aria-pressed")).toBe("true");
      expect(await yes().getAttribute("aria-pressed")).toBe("false");
      await text().waitFor();
      await page.keyboard.press("Tab");
      await page.keyboard.type("Which curve is the default?");
      expect(await text().inputValue()).toBe("Which curve is the default?");
      await page.keyboard.press("Tab");
      expect(await send().evaluate((button) => button === document.activeElement)).toBe(true);
      await page.keyboard.press("Enter");
      await thanks().waitFor();
      await expect
        .poll(() => thanks().evaluate((each) => each === document.activeElement))
        .toBe(true);
      expect(await no().count()).toBe(0);
      expect(sent.map((body) => JSON.parse(body))).toEqual([
        { page: path, helpful: false, text: "Which curve is the default?" },
      ]);
      expect(problems).toEqual([]);
    });

    test("asks afresh on the next page", async () => {
      await yes().click();
      await text().fill("About this page.");
      await page.locator(".pagination-nav__link--next").click();
      await page.waitForURL((url) => url.pathname !== path);
      // The address changes before the page does.
      await expect.poll(() => yes().getAttribute("aria-pressed")).toBe("false");
      expect(await text().count()).toBe(0);
    });

    test("keeps the text when a send fails, and sends it again", async () => {
      await yes().click();
      await text().fill("It took two attempts.");
      await page.route("**/feedback", (route) => route.abort(), { times: 1 });
      await send().click();
      await failure().waitFor();
      expect(await failure().textContent()).toMatch(/can’t be reached.*Your text is still here/);
      expect(await text().inputValue()).toBe("It took two attempts.");
      await send().click();
      await thanks().waitFor();
    });

    test("says that its form did not come, and asks for it again at the next press", async () => {
      await page.route("**/assets/js/*.js", (route) => route.abort());
      await yes().click();
      await failure().waitFor();
      expect(await failure().textContent()).toMatch(/can’t be reached.*Press the button again/);
      await page.unroute("**/assets/js/*.js");
      await no().click();
      await text().waitFor();
      expect(await failure().count()).toBe(0);
    });

    test("says when a text is too long, too often sent or refused, and keeps it", async () => {
      await no().click();
      await text().fill("€".repeat(1000));
      await send().click();
      expect(await failure().textContent()).toContain("too long");
      expect(sent).toEqual([]);

      await text().fill("a\u202eb");
      await send().click();
      await failure().filter({ hasText: "must not contain control characters" }).waitFor();

      // One address sends five answers a minute, and the tests before have used some of them. The press
      // must not come when the address may just send the next one.
      await text().fill("Once more.");
      await page.evaluate(async () => {
        const headers = { "Content-Type": "application/json" };
        for (let waitSeconds = 0; waitSeconds < 6; ) {
          const answer = await fetch("/feedback", { method: "POST", headers, body: "{}" });
          waitSeconds = Number(answer.headers.get("retry-after"));
          if (waitSeconds > 0) await new Promise((resolve) => setTimeout(resolve, 100));
        }
      });
      await send().click();
      await failure()
        .filter({ hasText: /again in \d+ seconds/ })
        .waitFor();
      expect(await text().inputValue()).toBe("Once more.");
    });

    test("is on no page that is only a list, and not on paper", async () => {
      expect(await yes().count()).toBe(1);
      await page.emulateMedia({ media: "print" });
      expect(await yes().count()).toBe(0);
      await page.goto(`${service.url}/category/security`);
      expect(await page.getByText("Was this page helpful?").count()).toBe(0);
    });
  });

  test.each([
    { status: 405, isPage: false },
    { status: 501, isPage: false },
    { status: 200, isPage: true },
    ...(isLong
      ? [
          { status: 404, isPage: true },
          { status: 403, isPage: true },
        ]
      : []),
  ])("on a host of plain files that answers %j, points to the issues", async (answer) => {
    const host = await startPlainHost(siteBuild, () => answer);
    try {
      await open(host.url + path);
      await yes().click();
      await text().fill("Is anybody there?");
      await send().click();
      await failure().waitFor();
      expect(await failure().textContent()).toContain("takes no feedback");
      const link = failure().getByRole("link");
      expect(await link.getAttribute("href")).toMatch(/^https:\/\/.*\/issues$/);
      expect(await text().inputValue()).toBe("Is anybody there?");
      expect(await thanks().count()).toBe(0);
      expect(problems).toEqual([]);
    } finally {
      await host.stop();
    }
  });

  test("a moved address keeps its query and place on a host of plain files", async () => {
    const host = await startPlainHost(siteBuild, () => ({ status: 405, isPage: false }));
    try {
      await open(`${host.url}/concepts/introduction/?lang=ts#next`);
      await page.waitForURL((url) => url.pathname.startsWith("/concepts/overview"));
      expect(new URL(page.url()).search + new URL(page.url()).hash).toBe("?lang=ts#next");
    } finally {
      await host.stop();
    }
  });
});

describe("npm run feedback", () => {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, ["scripts/launch.mjs", "feedback", ...args], {
      cwd: root,
      encoding: "utf8",
      env: {
        PATH: process.env.PATH,
        KEYHEARTH_DATA_DIR: dataDirectory,
        NODE_COMPILE_CACHE: compiled,
      },
      stdio: "pipe",
    });

  test("shows what was stored while the service runs, and selects and deletes it afterwards", async () => {
    const asked = run();
    await service.stop();
    const report = run();
    expect(asked).toBe(report);
    expect(report).toMatch(/^ +no +yes {2}page\n( +\d+ +\d+ {2}\/[\w/-]+\n)+/);
    expect(report).toMatch(
      /\n\d{4}-\d{2}-\d{2} \d{2}:\d{2} {2}no {2}\/faq\n {2}\| Two\n {2}\| lines\.\n/,
    );
    expect(JSON.parse(run("--json", "--page", "/faq"))).toEqual({
      at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
      page: "/faq",
      helpful: false,
      text: "Two\nlines.",
    });
    expect(run("--delete", "--page", "/faq")).toBe("Deleted 1 answer.\n");
    expect(run("--page", "/faq")).toBe("Nobody has said anything yet.\n");
    expect(() => run("--from", "yesterday")).toThrow("expected a day such as 2026-01-31");
  }, 120_000);
});
