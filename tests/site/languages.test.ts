import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePages, hasBrowser, sharedBrowser, waitUntilReady } from "../start/browser.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

// The two languages of the site, as readers get them from the service.

let service: SharedProduct;
let browser: Browser;

beforeAll(async () => {
  service = await sharedProduct();
}, 120_000);
afterAll(async () => {
  await closePages();
});

const read = async (path: string) => await (await fetch(service.url + path)).text();

/** The values of an attribute of all tags that have these other attributes. */
function attributes(html: string, tag: string, having: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`<${tag}\\b[^>]*>`, "g"))]
    .map(([text]) => text)
    .filter((text) => text.replaceAll('"', "").includes(having))
    .map((text) => new RegExp(`\\b${name}=(?:"([^"]*)"|([^\\s>]*))`).exec(text) ?? [])
    .map(([, quoted, bare]) => quoted ?? bare ?? "");
}

/** The words of Markdown that are not code. */
const wordsOf = (text: string) =>
  text
    .replace(/`[^`]*`/g, "")
    .split(/\s+/)
    .filter((word) => /\p{L}/u.test(word));

const pathOf = (url: string) => new URL(url).pathname;

describe("a page in two languages", () => {
  test("says its language and names itself and the other one to search engines", async () => {
    for (const [lang, path] of [
      ["en", "/concepts/wallets"],
      ["es", "/es/concepts/wallets"],
    ] as const) {
      const html = await read(path);
      expect(attributes(html, "html", "", "lang")).toEqual([lang]);
      expect(attributes(html, "link", "rel=canonical", "href").map(pathOf)).toEqual([path]);
      const languages = attributes(html, "link", "hreflang=", "hreflang");
      const places = attributes(html, "link", "hreflang=", "href").map(pathOf);
      expect(languages).toEqual(["en", "es", "x-default"]);
      expect(places).toEqual(["/concepts/wallets", "/es/concepts/wallets", "/concepts/wallets"]);
      expect(html).not.toMatch(/name="?robots/);
    }
  });

  test("has the same anchors in both", async () => {
    const ids = async (path: string) => attributes(await read(path), "h[23]", "id=", "id");
    const english = await ids("/concepts/policies/language");
    expect(english.length).toBeGreaterThan(10);
    expect(await ids("/es/concepts/policies/language")).toEqual(english);
  });

  test.each(["language", "understanding-decisions", "examples"])(
    "has no sentence of the other one in what components show: policies/%s",
    async (name) => {
      const sentences = async (folder: string) =>
        (await read(`${folder}/concepts/policies/${name}.md`))
          .replace(/^```.*?^```/gms, "")
          .split(/[|\n]/)
          .map((part) => part.trim())
          .filter((part) => wordsOf(part).length > 3);
      const english = await sentences("");
      const spanish = await sentences("/es");
      expect(spanish.length).toBeGreaterThan(30);
      expect(spanish.filter((text) => english.includes(text))).toEqual([]);
    },
  );
});

test.each(["/es/faq", "/es/api"])(
  "%s, which has no translation, says so, is marked as English and is left to the original",
  async (path) => {
    const html = await read(path);
    expect(html).toContain("Esta página aún no está traducida");
    expect(html).toMatch(/<div lang="?en"?>/);
    expect(attributes(html, "meta", "name=robots", "content")).toEqual(["noindex"]);
  },
);

test("each language has its own sitemap, without untranslated pages", async () => {
  const listed = async (path: string) =>
    [...(await read(path)).matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = ""]) => pathOf(url));
  const english = await listed("/sitemap.xml");
  const spanish = await listed("/es/sitemap.xml");
  expect(english).toContain("/concepts/wallets");
  expect(english.filter((path) => /^\/es(\/|$)/.test(path))).toEqual([]);
  expect(spanish).toContain("/es/concepts/wallets");
  expect(spanish.filter((path) => !path.startsWith("/es/"))).toEqual([]);
  expect(spanish.filter((path) => /^\/es\/(api|faq|sdks)/.test(path))).toEqual([]);
});

test("an unknown address below /es has the Spanish not-found page, and letter case is corrected", async () => {
  const missing = await fetch(`${service.url}/es/no/such/page`);
  expect(missing.status).toBe(404);
  expect(await missing.text()).toContain("Esta página no existe");
  const moved = await fetch(`${service.url}/ES/Concepts/wallets?a=1`, { redirect: "manual" });
  expect([moved.status, moved.headers.get("location")]).toEqual([301, "/es/concepts/wallets?a=1"]);
});

describe.runIf(hasBrowser)("in a browser", () => {
  beforeAll(async () => {
    browser = await sharedBrowser();
  });

  async function open(path: string): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(service.url + path);
    await waitUntilReady(page);
    return page;
  }

  async function choose(page: Page, menu: string, entry: string) {
    const dropdown = page.locator(".navbar .dropdown").filter({ hasText: menu });
    const link = dropdown.getByRole("link", { name: entry, exact: true });
    // Going to a heading hides the navbar, and scrolling up brings it back.
    await expect
      .poll(
        async () => {
          await page.mouse.wheel(0, -100);
          return (await page.locator("nav.navbar").boundingBox())?.y;
        },
        { timeout: 20_000 },
      )
      .toBe(0);
    await dropdown.hover();
    await link.click();
  }

  test("the language switcher keeps path, query and hash", async () => {
    const page = await open("/concepts/wallets?from=test#sign");
    await choose(page, "English", "Español");
    await page.waitForURL(`${service.url}/es/concepts/wallets?from=test#sign`);
    expect(await page.locator("h1").textContent()).toBe("Wallets");
    expect(await page.locator("#sign").textContent()).toContain("Firmar");
    // Without scripts, the link to the other language has no query and no hash.
    await waitUntilReady(page);
    await choose(page, "Español", "English");
    await page.waitForURL(`${service.url}/concepts/wallets?from=test#sign`);
    await page.close();
  });

  test("no sentence of the home page, the not-found page or the shell stays English", async () => {
    for (const path of ["/", "/no/such/page", "/concepts/overview"]) {
      const english = await textsOf(await open(path));
      const spanish = await textsOf(await open(`/es${path}`));
      expect(spanish.length).toBeGreaterThan(20);
      expect(spanish.filter((text) => english.includes(text) && !isName(text))).toEqual([]);
    }
  }, 120_000);

  /** All texts and labels that are not code. */
  async function textsOf(page: Page): Promise<string[]> {
    const texts = await page.evaluate(() => {
      const found: string[] = [];
      const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (nodes.nextNode()) {
        const { currentNode: node } = nodes;
        if (!node.parentElement?.closest("code, pre, script, style, noscript")) {
          found.push(node.textContent ?? "");
        }
      }
      for (const element of document.body.querySelectorAll(
        "[aria-label], [title], [placeholder]",
      )) {
        for (const name of ["aria-label", "title", "placeholder"]) {
          found.push(element.getAttribute(name) ?? "");
        }
      }
      return found;
    });
    await page.close();
    return texts.map((text) => text.trim()).filter((text) => /[a-z]{2,}/i.test(text));
  }

  /** Names and words that are the same in both languages. */
  function isName(text: string): boolean {
    const products =
      "Keyhearth|GitHub|JavaScript|Node\\.js|React|React Native|Swift|Flutter|Golang|Rust|Ruby";
    const chains = "viem|ethers|EIP-1193|Solana|CosmJS|Bitcoin";
    const words =
      "No|English|Español|Wallets?|Passkeys?|Webhooks|API|SMS|HTTP|X|RSS|[\\w-]+\\.(ts|json)";
    return new RegExp(`^(${products}|${chains}|${words})$`).test(text);
  }
});
