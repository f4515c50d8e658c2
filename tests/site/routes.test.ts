import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { siteBuild } from "../../scripts/audit/built-pages.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import { isExtra, isSame, routes } from "./routes.ts";

// Every address that readers can rely on, asked from the service as browsers and crawlers ask it.

const root = new URL("../../", import.meta.url);
const redirects: Record<string, string> = JSON.parse(
  readFileSync(new URL("contract/site-redirects.json", root), "utf8"),
);

let service: SharedProduct;

beforeAll(async () => {
  service = await sharedProduct();
});

const ask = (path: string, method = "GET") =>
  fetch(service.url + path, { method, redirect: "manual" });

type Page = { status: number; headings: string[]; description: string; html: string };

async function read(path: string): Promise<Page> {
  const response = await ask(path);
  const html = await response.text();
  const headings = [...html.matchAll(/<h1\b[^>]*>(.*?)<\/h1>/gs)].map(([, text = ""]) => text);
  const description = metaOf(html, "description");
  return { status: response.status, headings, description, html };
}

/** The content of a `<meta>` of the head, or no text. */
function metaOf(html: string, name: string): string {
  const tags = [...html.matchAll(/<meta\b[^>]*>/g)].map(([tag]) => tag);
  const own = tags.filter((tag) => new RegExp(`\\bname="?${name}"?[\\s>]`).test(tag));
  return /\bcontent="([^"]*)"/.exec(own.at(-1) ?? "")?.[1] ?? "";
}

describe("the routes", () => {
  test("are 103, the index of getting started, the proxy's calls, and the pages about decisions and verification", () => {
    expect(new Set(routes).size).toBe(107);
  });

  test("answer 200 with one heading and a description of their own", async () => {
    const pages = new Map<string, Page>();
    for (const route of routes) pages.set(route, await read(route));
    const found = [...pages].map(([route, { status, headings, description }]) => ({
      route,
      status,
      headings: headings.length,
      isDescribed: description.length >= 50 && description.length <= 200,
    }));
    expect(found).toEqual(
      routes.map((route) => ({ route, status: 200, headings: 1, isDescribed: true })),
    );
    const byDescription = Map.groupBy(pages.keys(), (route) => pages.get(route)?.description);
    expect([...byDescription.values()].filter((same) => same.length > 1)).toEqual([]);
  });

  test("are all in the sitemap, which names no page beyond them", async () => {
    const sitemap = await (await ask("/sitemap.xml")).text();
    const addresses = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(
      ([, address = ""]) => new URL(address).pathname,
    );
    const beyond = addresses.filter(
      (address) => !isExtra(address) && !routes.some((route) => isSame(route, address)),
    );
    expect(beyond).toEqual([]);
    const missing = routes.filter((route) => !addresses.some((address) => isSame(route, address)));
    // It is for authors, and search engines are asked to leave it out.
    expect(missing.filter((route) => route !== "/markdown-page")).toEqual([]);
  });

  test("have no pages beside them in the build", () => {
    const pages = readdirSync(siteBuild, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name === "index.html")
      .map((entry) => `/${join(entry.parentPath, "").slice(siteBuild.length + 1)}`);
    const beyond = pages.filter(
      (page) =>
        !isExtra(page) &&
        !isExtra(`${page}/`) &&
        // Pages that redirect, for hosts of plain files, are built in every language.
        !Object.hasOwn(redirects, page.replace(/^\/es(?=\/)/, "")) &&
        !routes.some((route) => isSame(route, page)),
    );
    expect(beyond).toEqual([]);
  });
});

describe("a moved address", () => {
  test("is no route, in any letter case, and moves to a page that exists", async () => {
    const taken = routes.map((route) => route.replace(/\/$/, "").toLowerCase());
    for (const [from, to] of Object.entries(redirects)) {
      expect(taken, from).not.toContain(from.toLowerCase());
      expect(routes, from).toContain(to);
      expect((await ask(to)).status, to).toBe(200);
    }
  });

  test("answers 301 with its query kept, with and without a slash at its end", async () => {
    for (const [from, to] of Object.entries(redirects)) {
      for (const [asked, answered] of [
        [from, to],
        [`${from}/`, to],
        [`${from}?lang=ts&next=%2F%2Fexample.com`, `${to}?lang=ts&next=%2F%2Fexample.com`],
        [from.toUpperCase(), to],
      ] as const) {
        const response = await ask(asked);
        expect([asked, response.status, response.headers.get("location")]).toEqual([
          asked,
          301,
          answered,
        ]);
      }
      expect((await ask(from, "HEAD")).status, from).toBe(301);
      expect((await ask(from, "POST")).status, from).toBe(405);
    }
  });

  test("has a page that moves readers on a host of plain files", () => {
    for (const [from, to] of Object.entries(redirects)) {
      const html = readFileSync(join(siteBuild, from, "index.html"), "utf8");
      expect(html).toContain(`<meta http-equiv="refresh" content="0; url=${to}">`);
      expect(html).toContain(`'${to}' + window.location.search + window.location.hash`);
      expect(existsSync(join(siteBuild, to, "index.html")), to).toBe(true);
    }
  });
});

describe("other letter case", () => {
  test.each([
    ["/concepts/Wallets", "/concepts/wallets"],
    ["/concepts/Wallets?x=1", "/concepts/wallets?x=1"],
    ["/Concepts/wallets", "/concepts/wallets"],
    ["/concepts/Sub-Organizations", "/concepts/sub-organizations"],
    ["/concepts/Sub-organizations", "/concepts/sub-organizations"],
    ["/Security/Secure-enclaves", "/security/secure-enclaves"],
    ["/security/Secure-Enclaves", "/security/secure-enclaves"],
    ["/concepts/Users/Root-Quorum", "/concepts/users/root-quorum"],
    ["/FAQ", "/faq"],
    ["/sdks/ruby", "/sdks/Ruby"],
    ["/sdks/RUBY/", "/sdks/Ruby/"],
    ["/sdks/Swift", "/sdks/swift"],
  ])("%s moves to %s", async (asked, answered) => {
    const response = await ask(asked);
    expect([response.status, response.headers.get("location")]).toEqual([301, answered]);
    expect((await ask(answered)).status).toBe(200);
  });
});

describe("an address that names another host", () => {
  const [moved = ""] = Object.keys(redirects);

  // `fetch` would tidy some of these up, so they are sent as they are.
  test.each([
    "//example.com",
    "//example.com/",
    `//example.com${moved}`,
    `/${moved}`,
    `${moved}//example.com`,
    `${moved}/..//example.com`,
    "/\\example.com",
    `/\\example.com${moved}`,
    `${moved}\\example.com`,
    "/%5cexample.com",
    "/%2f%2fexample.com",
    `${moved}%2f%2fexample.com`,
    `${moved}%0d%0aLocation:%20https://example.com`,
    "/concepts/Wallets%0d%0aLocation:%20https://example.com",
    "//Concepts/wallets",
    "/.//example.com",
    "/%2e%2e//example.com",
    "/\t/example.com",
    "/https:example.com",
    "http://example.com/Concepts/wallets",
  ])("%j is redirected nowhere but into the site", async (target) => {
    const answer = await askExactly(target);
    const [, location] = /^location: *([^\r\n]*)/im.exec(answer) ?? [];
    if (location !== undefined) {
      expect(location).toMatch(/^\/[a-z]/);
      expect(new URL(location, "http://here.test").host).toBe("here.test");
    }
    expect(answer).toMatch(/^HTTP\/1\.1 (301|400|404) /);
  });

  /** The answer's head to a request whose target is exactly this. */
  async function askExactly(target: string): Promise<string> {
    const { port, hostname, host } = new URL(service.url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let text = "";
      socket.setEncoding("latin1");
      socket.on("data", (chunk) => {
        text += chunk;
      });
      socket.on("end", () => resolve(text.split("\r\n\r\n")[0] ?? ""));
      socket.on("error", reject);
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
  }
});
