import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browse, narrow, type Seen, type View } from "../../scripts/audit/browse.ts";
import { type BuiltPage, latestPages, siteBuild } from "../../scripts/audit/built-pages.ts";
import { compressedBytes } from "../../scripts/audit/sizes.ts";
import { closePages, hasBrowser, sharedBrowser } from "../start/browser.ts";
import { isLong } from "../start/long-form.ts";
import { sharedProduct } from "../start/shared.ts";
import { read, sitePages } from "./built-pages.ts";

// Every page of the site as the service sends it, in a browser, half of them in the dark; `npm run audit` opens each in
// both themes and both widths. A class has the same colours on every page, so the contrast is measured on as few and small
// pages of each theme as have all styled classes, and in the long form on all pages. Those are opened on a desktop, where
// more is shown, and the others on a small phone, where nothing may be too wide. In the long form half of all pages are
// on a desktop, and the pages also fetch ahead for their links, of which `tests/shell/loading.test.ts` shows the rules.

/** A translation must not make a page heavier. */
const heaviestInSpanish = "/es/concepts/policies/language";

/** One has every answer in its script, to filter them, the reference the whole contract, one page every change, and one programs in six languages. */
const loadsMore: Readonly<Record<string, number>> = {
  "/security/verification": Number.POSITIVE_INFINITY,
  "/api": 185_000,
  "/developer-reference/changelog": 190_000,
  "/developer-reference/webhooks": 185_000,
};

describe.runIf(hasBrowser)("every page", () => {
  let browser: Browser;
  let views: View[];
  let seen: Seen;

  beforeAll(async () => {
    browser = await sharedBrowser();
    const built = sitePages();
    const pages = [
      ...latestPages(built),
      ...built.filter(({ path }) => path === heaviestInSpanish),
    ];
    const themes = [0, 1].map((half) => pages.filter((_, at) => at % 2 === half));
    const styled = styledClasses(pages);
    const measured = isLong ? pages : themes.flatMap((each) => fewestWithAllClasses(each, styled));
    views = pages.map((page, at) => {
      const hasContrast = measured.includes(page);
      const isOnDesktop = isLong ? at % 4 < 2 : hasContrast;
      return {
        path: page.path,
        theme: at % 2 ? "dark" : "light",
        width: isOnDesktop ? 1440 : isLong ? 390 : narrow,
        hasContrast,
      };
    });
    const { url } = await sharedProduct();
    seen = await browse(browser, url, views, { savesData: !isLong });
  }, 600_000);
  afterAll(async () => {
    await closePages();
  });

  test("opens without an error, a fault that axe finds, sideways scrolling or a request elsewhere", () => {
    expect(views.length).toBeGreaterThan(100);
    expect(seen.faults).toEqual([]);
  });

  test("loads less than 180 KB of script before any interaction", () => {
    const sizes = [...seen.scripts].map(([path, scripts]) => {
      // The two files that the HTML names, and the page itself.
      expect(scripts.length, path).toBeGreaterThan(2);
      return { path, bytes: compressedBytes(siteBuild, scripts) };
    });
    expect(sizes).toHaveLength(views.length);
    const heavy = sizes.filter(({ path, bytes }) => bytes >= (loadsMore[path] ?? 180_000));
    expect(heavy).toEqual([]);
  });
});

/** A server sends ten packets of 1,460 bytes before it waits for an answer (RFC 6928 and an Ethernet's MTU). */
const firstRoundTrip = 14_600;

test("the style sheet for which every page waits comes in one round trip", async () => {
  const { url } = await sharedProduct();
  const page = await (await fetch(`${url}/concepts/wallets`)).text();
  const [, sheet] = page.match(/ rel=stylesheet href=(\/assets\/css\/styles\.\w+\.css)/) ?? [];
  const [answer] = await once(
    get(url + sheet, { headers: { "accept-encoding": "gzip, deflate, br" } }),
    "response",
  );
  const body: Buffer[] = await answer.toArray();
  expect([answer.statusCode, answer.headers["content-encoding"]]).toEqual([200, "br"]);
  const head = `HTTP/1.1 200 OK\r\n${answer.rawHeaders.map((text: string) => `${text}  `).join("")}\r\n`;
  expect(head.length + Buffer.concat(body).length).toBeLessThan(firstRoundTrip);
});

test("what a page loads ahead for its links has files", () => {
  const [runtime = ""] = globSync("assets/js/runtime~main.*.js", { cwd: siteBuild });
  const script = readFileSync(join(siteBuild, runtime), "utf8");
  const [, names = ""] = /\.gca=function\(\w\)\{return \w=\(?\{([^}]*)\}/.exec(script) ?? [];
  const [, list = ""] = /"([0-9a-f ]+)"\.split\(" "\)/.exec(script) ?? [];
  const hashes = list.split(" ");
  const numbers = [...names.matchAll(/:"(\d+)"/g)].map(([, number]) => Number(number));
  expect(numbers.length).toBeGreaterThan(100);
  expect(numbers.filter((number) => !hashes[number])).toEqual([]);
});

/**
 * Pages that together have every styled class that one of these pages has. A small page is preferred: the contrast of its
 * texts takes ten times as long as all that axe finds otherwise.
 */
function fewestWithAllClasses(pages: BuiltPage[], styled: Set<string>): BuiltPage[] {
  const classes = new Map(
    pages.map((page) => [page, [...classesOf(page)].filter((name) => styled.has(name))]),
  );
  const of = (page: BuiltPage) => classes.get(page) ?? [];
  const elements = new Map(pages.map((page) => [page, page.html.split(/<\w/).length]));
  const sizeOf = (page: BuiltPage) => elements.get(page) ?? 0;
  const missing = new Set(pages.flatMap(of));
  const chosen: BuiltPage[] = [];
  while (missing.size > 0) {
    const worth = (page: BuiltPage) =>
      of(page).filter((name) => missing.has(name)).length / sizeOf(page);
    const best = pages.reduce((a, b) => (worth(b) > worth(a) ? b : a));
    for (const name of of(best)) missing.delete(name);
    chosen.push(best);
  }
  // Those that were chosen later may have all that an earlier one has.
  return chosen
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))
    .reduce((kept, page) => {
      const others = kept.filter((each) => each !== page);
      const names = new Set(others.flatMap(of));
      return of(page).every((name) => names.has(name)) ? others : kept;
    }, chosen);
}

/** The classes that a rule of the site's sheets, or of those in its pages, names. No other has colours. */
function styledClasses(pages: BuiltPage[]): Set<string> {
  const sheets = globSync("assets/css/*.css", { cwd: siteBuild }).map((name) => read(name));
  const inPages = pages.flatMap(({ html }) => html.match(/<style\b.*?<\/style>/gs) ?? []);
  const rules = new Set([...sheets, ...inPages]);
  return new Set([...rules].flatMap((css) => css.match(/(?<=\.)-?[A-Za-z_][\w-]*/g) ?? []));
}

/** The classes in the HTML, without those that name the page. */
function classesOf({ html }: BuiltPage): Set<string> {
  const lists = [...html.matchAll(/ class=(?:"([^"]*)"|([^\s>]+))/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? "",
  );
  const names = lists.flatMap((list) => list.split(/\s+/));
  return new Set(names.filter((name) => name && !name.startsWith("docs-doc-id-")));
}
