import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser } from "../../scripts/setup/tools.mjs";
import { type Service, startService } from "../start/process.ts";

// The built site as readers get it from the service, in a real browser.

const executablePath = process.env.CHROME_PATH || findBrowser() || "";
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

describe.runIf(executablePath)("the site", () => {
  let service: Service;
  let browser: Browser;
  let dataDirectory: string;

  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), "keyhearth-site-"));
    service = await startService({ KEYHEARTH_DATA_DIR: dataDirectory });
    browser = await chromium.launch({ executablePath, args: flags });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  type Visit = { page: Page; status: number; problems: string[] };

  async function visit(path: string, width: number, use: (visit: Visit) => Promise<void>) {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(service.url)) problems.push(`asks for ${request.url()}`);
    });
    const response = await page.goto(service.url + path, { waitUntil: "networkidle" });
    await use({ page, status: response?.status() ?? 0, problems });
    await page.close();
  }

  const paths = [
    "/",
    "/getting-started/quickstart",
    "/concepts/resource-limits",
    "/authentication/sessions",
    "/concepts/wallets",
    "/concepts/policies/examples",
    "/concepts/policies/language",
    "/concepts/policies/understanding-decisions",
    "/developer-reference/api-overview/errors",
    "/security/verifiable-data",
    "/self-hosting",
    "/api",
  ];

  test.each(paths)(
    "%s opens without an error, a file from elsewhere or sideways scrolling",
    async (path) => {
      for (const width of [1440, 390]) {
        await visit(path, width, async ({ page, status, problems }) => {
          expect(status).toBe(200);
          expect(await page.title()).toMatch(/Keyhearth/);
          const overflow = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          expect(overflow).toBeLessThanOrEqual(0);
          expect(problems).toEqual([]);
        });
      }
    },
  );

  test("an unknown path answers 404 with a page that has links", async () => {
    await visit("/no/such/page", 1440, async ({ page, status }) => {
      expect(status).toBe(404);
      expect(await page.locator("main a[href^='/']").count()).toBeGreaterThan(0);
    });
  });

  test("the first key press reaches a link that skips to the content", async () => {
    await visit("/getting-started/quickstart", 1440, async ({ page }) => {
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/skip/i);
    });
  });

  test("the theme is light by default, and the switch changes it and remembers it", async () => {
    await visit("/", 1440, async ({ page }) => {
      const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
      expect(await theme()).toBe("light");
      await page.getByRole("button", { name: /dark and light mode/i }).click();
      const chosen = await page.evaluate(() => localStorage.getItem("theme"));
      expect(chosen).not.toBeNull();
      await page.reload();
      expect(await theme()).toBe(chosen === "dark" ? "dark" : "light");
    });
  });

  test("the API reference lists the operations of the contract, and its filter narrows them", async () => {
    const contract = await (await fetch(`${service.url}/openapi.json`)).json();
    await visit("/api", 1440, async ({ page }) => {
      for (const path of Object.keys(contract.paths)) {
        expect(await page.getByText(path, { exact: true }).count()).toBeGreaterThan(0);
      }
      const before = await page.locator("nav a[href*='#']").count();
      await page.getByLabel("Filter operations").fill("sign_raw");
      expect(await page.locator("nav a[href*='#']").count()).toBeLessThan(before);
    });
  });
});
