import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createSite } from "../../apps/api/src/serve/site.ts";
import { latestPages, siteBuild } from "../../scripts/audit/built-pages.ts";
import { pageHistory } from "../../scripts/page-history.ts";
import { exists, read, sitePages } from "./built-pages.ts";

// What search engines, feed readers and links in messages find in the built pages.

const pages = sitePages();
const own = latestPages(pages);
const articles = own.filter(({ html }) => html.includes("theme-doc-markdown"));
const origin = new URL(canonicalOf(own[0]?.html ?? "")).origin;

function attributesOf(html: string, tag: string, has: RegExp): string[] {
  return [...html.matchAll(new RegExp(`<${tag}\\b[^>]*>`, "g"))]
    .map(([each]) => each)
    .filter((each) => has.test(each))
    .map(
      (each) => /\b(?:href|content)=("[^"]*"|[^\s>]*)/.exec(each)?.[1]?.replaceAll('"', "") ?? "",
    );
}

function canonicalOf(html: string): string {
  return attributesOf(html, "link", /rel="?canonical\b/).at(0) ?? "";
}

/** The file in the repository that the link for editing leads to. */
function sourceOf(html: string): string {
  return /https:[^\s">]*\/edit\/main\/(apps\/website\/[^\s">]*)/.exec(html)?.[1] ?? "";
}

type Data = Record<string, unknown> & { "@type": string };

function dataOf(html: string): Data[] {
  const scripts = html.matchAll(/<script[^>]*application\/ld\+json[^>]*>(.*?)<\/script>/gs);
  return [...scripts].map(([, json = ""]) => JSON.parse(json));
}

const kind = (html: string, type: string) => dataOf(html).find((data) => data["@type"] === type);
const page = (path: string) => own.find((each) => each.path === path)?.html ?? "";
const history = pageHistory(fileURLToPath(new URL("../../apps/website", import.meta.url)));

test("served at another address, no text of the site names the one that it was built with", async () => {
  const places = { publicUrl: "https://keys.example.com", dataDirectory: "/srv/keys" };
  const site = createSite({ buildDirectory: siteBuild, places });
  const texts = readdirSync(siteBuild, { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.(html|js|json|md|txt|xml)$/.test(path),
  );
  const built = /localhost:3000|(?<![\w-])data\/(root-api-key\.json|mailbox-token)/;
  const left: string[] = [];
  for (const path of texts) {
    const address = path.replace(/(^|\/)(index)?\.html$/, "").replace(/\.html$/, "");
    const answer = await site(new Request(new URL(address, "http://attacker.example")));
    if (built.test((await answer?.text()) ?? "")) left.push(path);
  }
  expect(left).toEqual([]);
  const home = await site(new Request("http://attacker.example/"));
  expect(canonicalOf((await home?.text()) ?? "")).toBe("https://keys.example.com/");
});

describe("pages tell search engines", () => {
  test("their address, which is their own", () => {
    for (const { path, html } of own) {
      expect(canonicalOf(html).replace(/\/$/, ""), path).toBe(
        `${origin}${path}`.replace(/\/$/, ""),
      );
    }
  });

  test("who publishes the site, on the home page", () => {
    const url = `${origin}/`;
    expect(kind(page("/"), "Organization")).toMatchObject({ name: "Keyhearth", url });
    expect(kind(page("/"), "WebSite")).toMatchObject({ name: "Keyhearth", url });
  });

  test("what each article is about, and a day on which it changed", () => {
    expect(articles.length).toBeGreaterThan(70);
    const dated: string[] = [];
    for (const { path, html } of articles) {
      const article = kind(html, "TechArticle");
      expect(String(article?.url).replace(/\/$/, ""), path).toBe(`${origin}${path}`);
      // The site may have been built before the page was committed, the last time or the first.
      const days = history.get(sourceOf(html).replace("apps/website/", "")) ?? [];
      expect([undefined, ...days], path).toContain(article?.dateModified);
      if (article?.dateModified) dated.push(path);
    }
    expect(dated.length).toBeGreaterThan(history.size === 0 ? -1 : 70);
  });

  test("the questions and answers of the page of questions", () => {
    const mainEntity = kind(page("/faq"), "FAQPage")?.mainEntity;
    const headings = page("/faq").match(/<h3\b/g) ?? [];
    expect(mainEntity).toHaveLength(headings.length);
    for (const question of Array.isArray(mainEntity) ? mainEntity : []) {
      expect(question).toMatchObject({ acceptedAnswer: { text: expect.stringMatching(/\w{2,}/) } });
    }
  });
});

describe("the map of the site", () => {
  const entries = [...read("sitemap.xml").matchAll(/<url>(.*?)<\/url>/gs)].map(
    ([, entry = ""]) => ({
      address: /<loc>(.*?)<\/loc>/.exec(entry)?.[1] ?? "",
      day: /<lastmod>(.*?)<\/lastmod>/.exec(entry)?.[1],
    }),
  );

  test("has every page that search engines may show, and no other", () => {
    const shown = own.filter(({ html }) => !/<meta[^>]*robots[^>]*noindex/.test(html));
    expect(entries.map(({ address }) => address.replace(/\/$/, "")).toSorted()).toEqual(
      shown.map(({ html }) => canonicalOf(html).replace(/\/$/, "")).toSorted(),
    );
  });

  test("has the day of each article's last change", () => {
    const days = new Map(entries.map(({ address, day }) => [address, day]));
    for (const { html } of articles) {
      expect(days.get(canonicalOf(html))).toBe(kind(html, "TechArticle")?.dateModified);
    }
  });
});

describe("a link to a page", () => {
  test("shows an image of 1200 by 630 pixels that is drawn for the page", () => {
    for (const { path, html } of articles) {
      const [image = ""] = attributesOf(html, "meta", /property="?og:image\b/);
      const [other] = attributesOf(html, "meta", /name="?twitter:image\b/);
      const [form] = attributesOf(html, "meta", /name="?twitter:card\b/);
      expect([other, form], path).toEqual([image, "summary_large_image"]);
      expect(image.startsWith(`${origin}/img/cards/`), path).toBe(true);
      const png = readFileSync(join(siteBuild, new URL(image).pathname));
      expect(png.subarray(1, 4).toString(), path).toBe("PNG");
      expect([png.readUInt32BE(16), png.readUInt32BE(20)], path).toEqual([1200, 630]);
    }
    const images = articles.map(({ html }) => attributesOf(html, "meta", /og:image\b/)[0]);
    expect(new Set(images).size).toBe(articles.length);
  });
});

describe("every article", () => {
  test("leads to its source and to the pages above it, and the home page has a name there", () => {
    for (const { path, html } of articles) {
      const source = new URL(`../../${sourceOf(html)}`, import.meta.url);
      expect(readFileSync(source, "utf8"), path).toMatch(/^---/);
      const [crumbs = ""] = /<nav class="theme-doc-breadcrumbs.*?<\/nav>/s.exec(html) ?? [];
      expect(crumbs, path).toMatch(/<a aria-label="Home page"[^>]* href="?\/[\s>"]/);
    }
  });

  test("of the second and third level names the categories above it", () => {
    const crumbsOf = (path: string) => {
      const [crumbs = ""] = /<nav class="theme-doc-breadcrumbs.*?<\/nav>/s.exec(page(path)) ?? [];
      return [
        ...crumbs.matchAll(/<(?:a|span)[^>]*breadcrumbs__link[^>]*>(?:<span[^>]*>)?([^<]+)</g),
      ].map(([, name]) => name);
    };
    expect(crumbsOf("/faq")).toEqual(["FAQ"]);
    expect(crumbsOf("/concepts/wallets")).toEqual(["Concepts", "Wallets"]);
    expect(crumbsOf("/concepts/policies/language")).toHaveLength(3);
    const list = kind(page("/concepts/policies/language"), "BreadcrumbList");
    expect(list?.itemListElement).toBeInstanceOf(Array);
  });
});

describe("the feed of changes", () => {
  test("is named by every page and is next to the page of changes", () => {
    const feed = "/developer-reference/changelog/rss.xml";
    for (const { path, html } of own) {
      expect(attributesOf(html, "link", /application\/rss\+xml/), path).toContain(feed);
    }
    expect(exists(feed)).toBe(true);
  });

  test("leads to anchors that the page of changes has", () => {
    const html = page("/developer-reference/changelog");
    const feed = read("developer-reference/changelog/rss.xml");
    const links = [...feed.matchAll(/<item>.*?<link>([^<]*)<\/link>/gs)].map(
      ([, link = ""]) => link,
    );
    expect(links.length).toBeGreaterThan(25);
    const ids = new Set(
      [...html.matchAll(/\bid=("[^"]*"|[^\s>]*)/g)].map(([, id = ""]) => id.replaceAll('"', "")),
    );
    for (const link of links) {
      expect(link.startsWith(`${origin}/developer-reference/changelog#`)).toBe(true);
      expect(ids.has(decodeURIComponent(new URL(link).hash.slice(1))), link).toBe(true);
    }
  });
});
