import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser, sharedBrowser, waitUntilReady } from "../start/browser.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

// What readers do on pages of the site, as the service sends them. `pages.test.ts` opens every page.

describe.runIf(hasBrowser)("the site", () => {
  let service: SharedProduct;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    service = await sharedProduct();
    browser = await sharedBrowser();
    context = await browser.newContext();
  });
  afterAll(async () => {
    await closePages();
  });

  type Visit = { page: Page; status: number; problems: string[] };

  async function visit(path: string, width: number, use: (visit: Visit) => Promise<void>) {
    const page = await context.newPage();
    await page.setViewportSize({ width, height: 900 });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(service.url)) problems.push(`asks for ${request.url()}`);
    });
    const response = await page.goto(service.url + path);
    await waitUntilReady(page);
    await use({ page, status: response?.status() ?? 0, problems });
    await page.close();
  }

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

  test("errors are found by words, by status and by a pasted answer", async () => {
    await visit("/developer-reference/api-overview/errors", 1440, async ({ page }) => {
      const shown = () =>
        page.locator("main div[id]:visible > div > a[href^='#']").allTextContents();
      const all = await shown();
      expect(all).toContain("DISK_FULL");
      await page.getByLabel("HTTP status").selectOption("403");
      expect((await shown()).sort()).toEqual([
        "FEATURE_DISABLED",
        "POLICY_DENIED",
        "REQUEST_NOT_AUTHORIZED",
      ]);
      await page.getByLabel("HTTP status").selectOption("");
      await page.getByLabel("Search").fill("threshold root");
      expect(await shown()).toEqual(["QUORUM_INVALID"]);
      await page.getByLabel("Search").fill("");
      expect(await shown()).toEqual(all);

      const answer = { code: 3, details: [{ code: "FIELD_UNKNOWN", field: "parameters.x" }] };
      await page.getByLabel("Paste your error").fill(`400 ${JSON.stringify(answer)}`);
      const hit = page.locator("output a");
      expect(await hit.getAttribute("href")).toBe("#field-unknown");
      expect(await page.locator("output").textContent()).toContain("parameters.x");
      const output = page.locator("output");
      const paste = (text: string) => page.getByLabel("Paste your error").fill(text);
      await paste("You don't have sufficient permissions to take this action.");
      await expect.poll(() => hit.first().getAttribute("href")).toMatch(/#policy-denied$/);
      await paste("keyhearth: port 3000 on 127.0.0.1 is in use by another process");
      await expect.poll(() => output.textContent()).toContain("A start that is refused");
      await paste("lorem ipsum");
      await expect.poll(() => output.textContent()).toMatch(/No message of the product/);

      // What the page does not say is found in the messages, and no search ends with an empty page.
      await paste("");
      for (const words of ["could not verify", "sufficient permissions", "CORS", "duplicate"]) {
        await page.getByLabel("Search").fill(words);
        await expect.poll(async () => (await shown()).length).toBeGreaterThan(0);
        expect((await shown()).length).toBeLessThan(10);
      }
      await page.getByLabel("Search").fill("flux capacitor");
      await expect.poll(shown).toEqual(all);
      await page.getByText("No error has all of these words").waitFor();
    });
  });

  test("troubleshooting finds the entry of an error on its page, and lists refused starts", async () => {
    await visit("/developer-reference/troubleshooting", 1440, async ({ page }) => {
      await page.getByLabel("Paste your error").fill("could not verify api key signature");
      const hit = page.locator("output a").first();
      await expect
        .poll(() => hit.getAttribute("href"))
        .toBe("/developer-reference/api-overview/errors#stamp-invalid");
      await hit.click();
      await page.waitForURL(/errors#stamp-invalid$/);
      await page.locator("#stamp-invalid").waitFor();
    });
  });

  test("address formats are found by words, and a page without scripts has all of them", async () => {
    await visit("/concepts/wallets", 1440, async ({ page, problems }) => {
      const field = page.getByRole("searchbox", { name: "Find a format" });
      const chains = () =>
        page
          .locator("main tbody tr", { hasText: "ADDRESS_FORMAT_" })
          .locator("td:first-child")
          .allTextContents();
      const all = await chains();
      expect(all.length).toBeGreaterThan(15);
      const html = await (await fetch(`${service.url}/concepts/wallets`)).text();
      expect(html.match(/<td><code[^>]*>ADDRESS_/g)).toHaveLength(all.length);

      await field.focus();
      await page.keyboard.type("ED25519 m/44'/501'");
      expect(await chains()).toEqual(["Solana"]);
      expect(await page.locator("output").textContent()).toBe(`1 of ${all.length}`);
      await field.fill("no such chain");
      expect(await chains()).toEqual([]);
      expect(await page.locator("output").textContent()).toMatch(/^Nothing/);
      await field.press("Escape");
      expect(await field.inputValue()).toBe("");
      expect(await chains()).toEqual(all);
      expect(problems).toEqual([]);
    });
  });

  test("policies and samples are found by words", async () => {
    await visit("/concepts/policies/examples", 1440, async ({ page, problems }) => {
      const field = page.getByRole("searchbox", { name: "Find a policy" });
      const shown = () =>
        page.locator("main :is(h2, h3)[id]").evaluateAll((all) => all.map(({ id }) => id));
      const all = await shown();
      expect(all).toContain("bounded-nonce");
      // The first is a word of an expression, and the second one of a pitfall.
      await field.fill("token_mint decimals");
      expect(await shown()).toEqual(["solana-tokens-of-owner"]);
      await field.fill("");
      expect(await shown()).toEqual(all);
      expect(problems).toEqual([]);
    });
    await visit("/getting-started/examples", 1440, async ({ page }) => {
      await page.getByRole("searchbox", { name: "Find a sample" }).fill("email");
      expect(await page.locator("search + div tbody tr").count()).toBe(1);
    });
  });

  test("requirements are found by words and by their answers, and a link leads to one", async () => {
    await visit("/security/verification#v6-5-1", 1440, async ({ page, problems }) => {
      await page.locator("#v6-5-1").waitFor();
      const rows = page.locator("main tbody tr");
      const numbers = () => rows.evaluateAll((all) => all.map(({ id }) => id));
      const all = await rows.count();
      // The first is a word of the requirement, and the second one of a test.
      const field = page.getByRole("searchbox", { name: "Find a requirement" });
      await field.fill("factors surface");
      expect(await numbers()).toEqual(["v6-3-3"]);
      await page.getByRole("button", { name: "Tested" }).click();
      expect(await numbers()).toEqual([]);
      await field.fill("");
      const tested = await rows.count();
      await page.getByRole("button", { name: "Missing" }).click();
      expect(await numbers()).toContain("v6-3-3");
      await page.getByRole("button", { name: "Missing" }).click();
      expect(await rows.count()).toBe(all);
      expect(tested).toBeLessThan(all);
      expect(problems).toEqual([]);
    });
  });

  test("a term of the concepts has an anchor that its link leads to", async () => {
    await visit("/concepts/overview#fingerprint", 1440, async ({ page }) => {
      await page.locator("dfn#fingerprint").waitFor();
      const link = page.getByRole("link", { name: "Direct link to Root quorum" });
      expect(await link.getAttribute("href")).toMatch(/#root-quorum$/);
    });
  });

  test("a link to an answer of the FAQ opens it, and each question is described once for search engines", async () => {
    await visit("/faq#rate-limit", 1440, async ({ page }) => {
      await page.waitForSelector("details#rate-limit[open]");
      expect(await page.locator("main details[open]").count()).toBe(1);
      const data = await page.locator("script[type='application/ld+json']").allTextContents();
      const faqs = data
        .map((text) => JSON.parse(text))
        .filter((each) => each["@type"] === "FAQPage");
      expect(faqs).toHaveLength(1);
      const [faq] = faqs;
      expect(faq.mainEntity).toHaveLength(await page.locator("main details").count());
      for (const { acceptedAnswer } of faq.mainEntity) expect(acceptedAnswer.text).not.toBe("");
    });
  });

  test("the playground of stamps makes the header of the vectors", async () => {
    const { default: vectors } = await import(
      "../../apps/website/src/components/stamps/vectors.json",
      { with: { type: "json" } }
    );
    await visit("/developer-reference/api-overview/stamps", 1440, async ({ page, problems }) => {
      await page
        .getByLabel("Scheme, with its test key")
        .selectOption("SIGNATURE_SCHEME_TK_API_ED25519");
      const expected = vectors.vectors.find(({ scheme }) => scheme.endsWith("ED25519"));
      const output = page.getByRole("group", { name: "Stamp a body" }).locator("output dl");
      await expect.poll(() => output.textContent()).toContain(expected?.header ?? "none");
      await page.getByLabel("Body, byte for byte").fill("{}");
      await expect.poll(() => output.textContent()).not.toContain(expected?.header);
      expect(problems).toEqual([]);
    });
  });
});
