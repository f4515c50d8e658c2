import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from "node:zlib";
import { Hono } from "hono";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createForms } from "./forms.ts";
import { pagePolicy } from "./security-headers.ts";
import type { ShownPlaces } from "./shown-places.ts";
import { createFile, createSite } from "./site.ts";
import { readRedirects } from "./site-paths.ts";

const themeScript = 'document.documentElement.setAttribute("data-theme", "light");';
const page = (title: string, body = "") =>
  `<!doctype html><html><head><title>${title}</title><script>${themeScript}</script><script src=/assets/js/main.fb080524.js defer></script></head><body>${body}<p>${"words ".repeat(400)}</p></body></html>`;
const mainScript = `console.log(${JSON.stringify("long ".repeat(1000))});`;

const redirects = readRedirects({
  "/integration-guides/wallets": "/concepts/wallets",
  "/Ruby": "/sdks/Ruby",
});

const fixture: Record<string, string> = {
  "index.html": page("Home"),
  "404.html": page("Not found"),
  "es/index.html": page("Inicio"),
  "es/404.html": page("No existe"),
  "es/sdks/Ruby/index.html": page("Ruby en español"),
  "concepts/wallets/index.html": page("Wallets", '<span style="color:red">code</span>'),
  "sdks/Ruby/index.html": page("Ruby"),
  "sdks/swift.html": page("Swift"),
  "integration-guides/wallets/index.html": page("Moved, for hosts of plain files"),
  "assets/js/main.fb080524.js": mainScript,
  "assets/js/part.9e38350.js": mainScript,
  "assets/images/plan-1f2e3d4c5b6a79881f2e3d4c5b6a7988.png": "png",
  "assets/js/plain.js": "1;",
  "img/logo.svg": '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
  "hosted/index.html": page("Hosted").replace(
    "</title>",
    '</title><link rel="preconnect" href="https://B1G2GM9NG0-dsn.algolia.net" crossorigin="anonymous">',
  ),
  "quoted/index.html": page(
    "Quoted",
    "<link rel=preconnect href=https://B1G2GM9NG0-dsn.algolia.net>",
  ),
  "sitemap.xml": "<urlset/>",
  "a b/ü.txt": "text",
};

let root: string;
let build: string;
let app: Hono;
let nowMs = 0;

function serve(buildDirectory: string) {
  const site = createSite({ buildDirectory, redirects, nowMs: () => nowMs });
  const hono = new Hono();
  hono.use(async (c, next) => (await site(c.req.raw)) ?? next());
  hono.notFound((c) => c.json({ code: 5, message: "no such route" }, 404));
  return hono;
}

async function write(directory: string, files: Record<string, string>) {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
}

const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "keyhearth-site-"));
  build = join(root, "build");
  await write(build, fixture);
  await writeFile(join(root, "secret.txt"), "secret");
  await symlink(join(root, "secret.txt"), join(build, "link.txt"));
  app = serve(build);
});

afterAll(() => rm(root, { recursive: true, force: true }));

describe("addresses", () => {
  test.each([
    ["/", "Home"],
    ["/concepts/wallets", "Wallets"],
    ["/concepts/wallets/", "Wallets"],
    ["/concepts/wallets?docusaurus-theme=dark", "Wallets"],
    ["/sdks/Ruby", "Ruby"],
    ["/sdks/swift", "Swift"],
    ["/sdks/swift/", "Swift"],
    ["/es", "Inicio"],
    ["/es/", "Inicio"],
    ["/es/sdks/Ruby", "Ruby en español"],
  ])("%s is a page", async (path, title) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(await response.text()).toContain(`<title>${title}</title>`);
  });

  test.each([
    ["/index.html", "/"],
    ["/concepts/wallets/index.html", "/concepts/wallets"],
    ["/concepts/Wallets", "/concepts/wallets"],
    ["/Concepts/Wallets/", "/concepts/wallets/"],
    ["/sdks/ruby", "/sdks/Ruby"],
    ["/SDKs/SWIFT?tab=1&x=%20", "/sdks/swift?tab=1&x=%20"],
    ["/ES/", "/es/"],
    ["/Es/SDKs/ruby?a=1", "/es/sdks/Ruby?a=1"],
    ["/IMG/Logo.svg", "/img/logo.svg"],
    ["/A%20b/%C3%BC.txt", "/a%20b/%C3%BC.txt"],
    ["/sitemap.xml/", "/sitemap.xml"],
    ["/integration-guides/wallets", "/concepts/wallets"],
    ["/integration-guides/wallets/", "/concepts/wallets"],
    [
      "/Integration-Guides/WALLETS?tab=1&to=//example.com",
      "/concepts/wallets?tab=1&to=//example.com",
    ],
    ["/integration%2Dguides/wallets", "/concepts/wallets"],
    ["/integration-guides/wallets/index.html", "/integration-guides/wallets"],
    ["/ruby", "/sdks/Ruby"],
    ["/ruby?", "/sdks/Ruby"],
  ])("%s moves to %s", async (path, location) => {
    const response = await get(path);
    expect(response.status).toBe(301);
    expect(response.headers.get("location")).toBe(location);
  });

  test.each([
    "/nothing",
    "/concepts",
    "/concepts//wallets",
    "//",
    "///",
    "//example.com",
    "//example.com/",
    "//example.com/ruby",
    "//ruby",
    "/ruby//",
    "/ruby//example.com",
    "/ruby/@example.com",
    "/ruby/..//example.com",
    "/\\example.com",
    "/\\/example.com/ruby",
    "/ruby\\example.com",
    "/%2f%2fexample.com",
    "/%5cexample.com",
    "/%5c%5cexample.com/ruby",
    "/ruby%2f%2fexample.com",
    "/ruby%0d%0aLocation:%20https://example.com",
    "/%09/example.com",
    "/https://example.com",
    "/assets/js/gone.00000000.js",
    "/404",
    "/%",
    "/link.txt",
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/assets/..%5c..%5csecret.txt",
    "/secret.txt%00.html",
  ])("%s gets the site's own not-found page", async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(await response.text()).toContain("<title>Not found</title>");
  });

  test.each(["/es/nothing", "/ES/nothing/", "/es/404", "/es//sdks"])(
    "%s gets the not-found page of its language",
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(await response.text()).toContain("<title>No existe</title>");
    },
  );

  test("API paths and other methods are left to the API", async () => {
    const json = { code: 5, message: "no such route" };
    expect(await (await get("/public/v1/query/nothing")).json()).toEqual(json);
    expect(await (await app.request("/concepts/wallets", { method: "POST" })).json()).toEqual(json);
  });

  test("a name that needs escaping is served", async () => {
    expect(await (await get("/a%20b/%C3%BC.txt")).text()).toBe("text");
  });
});

describe("the list of moved addresses", () => {
  test.each([
    "https://example.com",
    "//example.com",
    "/\\example.com",
    "/a/../b",
    "/a/",
    "/",
    "a",
    "/a?b",
    "/a#b",
    "/a\n",
    "",
  ])("refuses %j", (address) => {
    expect(() => readRedirects({ "/old": address })).toThrow("not a path of the site");
    expect(() => readRedirects({ [address]: "/new" })).toThrow("not a path of the site");
  });
});

describe("caching", () => {
  test.each([
    ["/assets/js/part.9e38350.js", "public, max-age=31536000, immutable"],
    ["/assets/js/main.fb080524.js", "public, max-age=31536000, immutable"],
    [
      "/assets/images/plan-1f2e3d4c5b6a79881f2e3d4c5b6a7988.png",
      "public, max-age=31536000, immutable",
    ],
    ["/assets/js/plain.js", "no-cache"],
    ["/img/logo.svg", "public, max-age=3600"],
    ["/sitemap.xml", "no-cache"],
  ])("%s: %s", async (path, cacheControl) => {
    expect((await get(path)).headers.get("cache-control")).toBe(cacheControl);
  });

  test("a matching tag answers 304 without a body", async () => {
    const { headers } = await get("/concepts/wallets");
    const etag = headers.get("etag") ?? "";
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const response = await get("/concepts/wallets", { "if-none-match": tags });
      expect([response.status, await response.text()]).toEqual([304, ""]);
      expect(response.headers.get("etag")).toBe(etag);
      expect(response.headers.get("content-length")).toBeNull();
    }
    expect((await get("/concepts/wallets", { "if-none-match": '"other"' })).status).toBe(200);
    expect((await get("/nothing", { "if-none-match": "*" })).status).toBe(404);
  });

  test("the date counts only if no tag was sent", async () => {
    const since = (await get("/")).headers.get("last-modified") ?? "";
    const status = async (headers: Record<string, string>) => (await get("/", headers)).status;
    expect(await status({ "if-modified-since": since })).toBe(304);
    expect(await status({ "if-modified-since": new Date(0).toUTCString() })).toBe(200);
    expect(await status({ "if-modified-since": "yesterday" })).toBe(200);
    expect(await status({ "if-modified-since": since, "if-none-match": '"other"' })).toBe(200);
  });

  test("a page that is stored compressed is served as one that is not", async () => {
    const stored = join(root, "stored");
    const text = page("Stored");
    const script = brotliCompressSync(mainScript);
    await write(stored, { "index.html": "", "404.html": page("Not found") });
    await mkdir(join(stored, "assets/js"), { recursive: true });
    await writeFile(join(stored, "guide.html.br"), brotliCompressSync(text));
    await writeFile(join(stored, "assets/js/main.fb080524.js.br"), script);
    const site = serve(stored);

    const plain = await site.request("/guide");
    expect(await plain.text()).toBe(text);
    expect(plain.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = (await get("/concepts/wallets")).headers.get("content-security-policy");
    expect(plain.headers.get("content-security-policy")?.slice(0, 20)).toBe(policy?.slice(0, 20));
    const path = "/assets/js/main.fb080524.js";
    const br = await site.request(path, { headers: { "accept-encoding": "br" } });
    expect(br.headers.get("content-encoding")).toBe("br");
    expect(Buffer.from(await br.arrayBuffer())).toEqual(script);
    const gzip = await site.request(path, { headers: { "accept-encoding": "gzip" } });
    expect(gunzipSync(Buffer.from(await gzip.arrayBuffer())).toString()).toBe(mainScript);
    expect(gzip.headers.get("cache-control")).toContain("immutable");
    expect((await site.request(`${path}.br`)).status).toBe(404);
  });

  test("thousands of tags or of encodings in one header are not looked at", async () => {
    const etag = (await get("/concepts/wallets")).headers.get("etag") ?? "";
    const names = Array.from({ length: 4000 }, (_, i) => i.toString(36)).join(",");
    const headers = { "accept-encoding": `br,${names}`, "if-none-match": `${etag},${names}` };
    const response = await get("/concepts/wallets", headers);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-encoding")).toBeNull();
  });

  test("HEAD returns the headers of GET", async () => {
    const got = await get("/concepts/wallets");
    const head = await app.request("/concepts/wallets", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(got.headers));
    expect(Number(head.headers.get("content-length"))).toBe((await got.arrayBuffer()).byteLength);
  });
});

describe("compression", () => {
  const path = "/assets/js/main.fb080524.js";

  test.each([
    ["gzip, deflate, br", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["br;q=0.5, gzip;q=0.8", "gzip", gunzipSync],
    ["*", "br", brotliDecompressSync],
  ])("Accept-Encoding: %s gets %s", async (accept, encoding, decode) => {
    for (let time = 0; time < 2; time++) {
      const response = await get(path, { "accept-encoding": accept });
      const body = Buffer.from(await response.arrayBuffer());
      expect(response.headers.get("content-encoding")).toBe(encoding);
      expect(response.headers.get("vary")).toBe("Accept-Encoding");
      expect(response.headers.get("content-length")).toBe(String(body.length));
      expect(decode(body).toString()).toBe(mainScript);
    }
  });

  test.each(["", "identity", "br;q=0", "br;q=0.1, identity;q=1", "zstd"])(
    "Accept-Encoding: %j gets the plain form",
    async (accept) => {
      const response = await get(path, { "accept-encoding": accept });
      expect(response.headers.get("content-encoding")).toBeNull();
      expect(await response.text()).toBe(mainScript);
    },
  );

  test("each form has its own tag, and only that tag counts as fresh", async () => {
    const [br = "", ...others] = await Promise.all(
      ["br", "gzip", "identity"].map(
        async (accept) =>
          (await get(path, { "accept-encoding": accept })).headers.get("etag") ?? "",
      ),
    );
    expect(new Set([br, ...others]).size).toBe(3);
    const stale = await get(path, { "accept-encoding": "gzip", "if-none-match": br });
    expect(stale.status).toBe(200);
  });

  test("a file that is small or already compressed is served as it is", async () => {
    for (const path of [
      "/sitemap.xml",
      "/assets/images/plan-1f2e3d4c5b6a79881f2e3d4c5b6a7988.png",
    ]) {
      const response = await get(path, { "accept-encoding": "br" });
      expect(response.headers.get("content-encoding")).toBeNull();
    }
  });
});

describe("many large texts that are asked for at once", () => {
  const COUNT = 10;
  let site: ReturnType<typeof createSite>;
  let texts: string[];

  beforeEach(async () => {
    const directory = await mkdtemp(join(root, "large-"));
    // Each is a third of a megabyte that brotli has to search.
    texts = Array.from({ length: COUNT }, (_, i) =>
      Array.from({ length: 75_000 }, (_, j) => ((i + j) ** 2 % 7919).toString(36)).join(" "),
    );
    const files = Object.fromEntries(texts.map((text, i) => [`text${i}.txt`, text]));
    await write(directory, { "index.html": page("Home"), ...files });
    site = createSite({ buildDirectory: directory, forms: createForms() });
  });

  const ask = async (path: string, encoding: string) => {
    const headers = { "accept-encoding": encoding };
    const answer = await site(new Request(`http://localhost${path}`, { headers }));
    return {
      encoding: answer?.headers.get("content-encoding") ?? null,
      body: Buffer.from((await answer?.arrayBuffer()) ?? new ArrayBuffer(0)),
    };
  };
  const askAll = (encoding: string) =>
    Promise.all(texts.map((_, i) => ask(`/text${i}.txt`, encoding)));

  test("are sent plain while one of them is compressed, and compressed later", async () => {
    const all = askAll("br");
    expect(await ask("/text3.txt", "identity")).toEqual({
      encoding: null,
      body: Buffer.from(texts[3] ?? ""),
    });
    expect((await ask("/", "identity")).body.toString()).toContain("<title>Home</title>");
    const first = await all;
    expect(first.filter(({ encoding }) => encoding === "br").length).toBeLessThan(4);
    for (const [i, { encoding, body }] of first.entries()) {
      const plain = encoding === "br" ? brotliDecompressSync(body) : body;
      expect(plain.toString()).toBe(texts[i]);
    }
    await expect
      .poll(async () => (await askAll("br")).every(({ encoding }) => encoding === "br"), {
        timeout: 60_000,
        interval: 200,
      })
      .toBe(true);
  });
});

describe("security headers", () => {
  const hash = createHash("sha256").update(themeScript).digest("base64");
  const policyOf = async (path: string) =>
    (await get(path)).headers.get("content-security-policy") ?? "";

  test("a page may run its own inline scripts and no others", async () => {
    expect(await policyOf("/")).toBe(
      `default-src 'self'; script-src 'self' 'sha256-${hash}'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'`,
    );
  });

  test("a page that was built to ask Algolia may connect to its application, and no other page", async () => {
    expect(await policyOf("/hosted")).toContain(
      "; connect-src 'self' https://B1G2GM9NG0-dsn.algolia.net https://B1G2GM9NG0-1.algolianet.com https://B1G2GM9NG0-2.algolianet.com https://B1G2GM9NG0-3.algolianet.com;",
    );
    expect(await policyOf("/quoted")).toContain("; connect-src 'self';");
  });

  test.each([
    [
      '<meta data-rh="true" name="keyhearth-api" content="https://keys.example.com/base">',
      "'self' https://keys.example.com",
    ],
    ["<meta name=keyhearth-api content=http://127.0.0.1:3000>", "'self' http://127.0.0.1:3000"],
    ['<meta name="keyhearth-api" content="javascript:alert(1)">', "'self'"],
    ["</head><body><meta name=keyhearth-api content=https://elsewhere.example>", "'self'"],
  ])("a page may send requests to the API that the site was built for: %s", (head, sources) => {
    const html = `<html><head>${head}</head></html>`;
    expect(pagePolicy(html).split("; ")).toContain(`connect-src ${sources}`);
  });

  test("inline styles are allowed only on a page that has some", async () => {
    expect(await policyOf("/concepts/wallets")).toContain("style-src 'self' 'unsafe-inline';");
  });

  test("a drawing opened as a document runs nothing", async () => {
    for (const path of ["/img/logo.svg", "/sitemap.xml"]) {
      expect(await policyOf(path)).toMatch(/^default-src 'none';.* sandbox$/);
    }
  });

  test("a script, which is no document, has the one that is for it", async () => {
    const { headers } = await get("/assets/js/main.fb080524.js");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("permissions-policy")).toBeNull();
  });

  test.each(["/", "/nothing", "/concepts/Wallets", "/img/logo.svg"])(
    "%s has the common ones",
    async (path) => {
      const { headers } = await get(path);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("strict-origin-when-cross-origin");
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("permissions-policy")).toContain("camera=()");
    },
  );
});

describe("a build that changes", () => {
  let directory: string;

  beforeEach(async () => {
    directory = join(await mkdtemp(join(tmpdir(), "keyhearth-site-")), "build");
    nowMs = 0;
    app = serve(directory);
  });

  afterEach(async () => {
    await rm(dirname(directory), { recursive: true, force: true });
    app = serve(build);
  });

  test("before the first build, a notice says how to build", async () => {
    const response = await get("/concepts/wallets");
    expect(response.status).toBe(503);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.text()).toContain("<code>npm run build</code>");
  });

  test("a new build is seen a second later, without a restart", async () => {
    await get("/");
    await write(directory, { "index.html": page("First") });
    expect((await get("/")).status).toBe(503);
    nowMs = 1001;
    expect(await (await get("/")).text()).toContain("<title>First</title>");

    await write(directory, { "index.html": page("Second") });
    await utimes(join(directory, "index.html"), 1, 1);
    expect(await (await get("/")).text()).toContain("<title>Second</title>");

    await rm(join(directory, "index.html"));
    expect((await get("/")).status).not.toBe(200);
    expect((await get("/")).status).toBe(503);
  });

  test("a build without a not-found page still answers 404", async () => {
    await write(directory, { "index.html": page("Home") });
    const response = await get("/nothing");
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("Page not found");
  });
});

test("files that together do not fit in memory are still served", async () => {
  const site = createSite({ buildDirectory: build, capacityBytes: 3000 });
  for (const path of ["/", "/concepts/wallets", "/", "/assets/js/main.fb080524.js", "/sdks/Ruby"]) {
    const request = new Request(`http://localhost${path}`, {
      headers: { "accept-encoding": "br" },
    });
    const response = await site(request);
    expect(response?.status).toBe(200);
    const body = brotliDecompressSync(
      Buffer.from((await response?.arrayBuffer()) ?? new ArrayBuffer(0)),
    );
    expect(body.length).toBeGreaterThan(2000);
  }
});

describe("pages that name the service", () => {
  const built = "http://localhost:3000/concepts and data/root-api-key.json";
  const script = `{"@id":"http://localhost:3000/"}`;
  const places = { publicUrl: "https://keys.example.com", dataDirectory: null };
  const name = "assets/js/sample.0a1b2c3d.js";
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(root, "named-"));
    await write(directory, {
      "index.html": `<script>${script}</script><link rel=canonical href=http://localhost:3000/>`,
      "llms.txt": built,
      "sitemap.xml": "<loc>http://localhost:3000/faq</loc>",
      [name]: `export const url = "http://localhost:3000";`,
    });
  });

  const ask = (path: string, shown: ShownPlaces) =>
    createSite({ buildDirectory: directory, places: shown })(
      new Request(`http://attacker.example${path}`),
    );

  test("name the address that it is configured for, whatever Host a request has", async () => {
    expect(await (await ask("/llms.txt", places))?.text()).toBe(
      "https://keys.example.com/concepts and data/root-api-key.json",
    );
    expect(await (await ask("/sitemap.xml", places))?.text()).toContain(
      "<loc>https://keys.example.com/faq</loc>",
    );
  });

  test("allow their own scripts as they are served", async () => {
    const answer = await ask("/", places);
    const [, served = ""] = /<script>(.*)<\/script>/.exec((await answer?.text()) ?? "") ?? [];
    expect(served).toBe(`{"@id":"https://keys.example.com/"}`);
    const digest = createHash("sha256").update(served).digest("base64");
    expect(answer?.headers.get("content-security-policy")).toContain(`'sha256-${digest}'`);
  });

  test("have scripts that are asked for again, because another service has others", async () => {
    const elsewhere = { publicUrl: "http://localhost:4000", dataDirectory: null };
    const [one, other] = [await ask(`/${name}`, places), await ask(`/${name}`, elsewhere)];
    expect(one?.headers.get("cache-control")).toBe("no-cache");
    expect(one?.headers.get("etag")).not.toBe(other?.headers.get("etag"));
  });
});

test("a single file is compressed, and has a tag", async () => {
  const file = createFile(join(build, "assets/js/main.fb080524.js"));
  const ask = (headers: Record<string, string>) =>
    file(new Request("http://site.test/", { headers }));
  const whole = await ask({});
  expect(await whole.text()).toBe(mainScript);
  const packed = await ask({ "accept-encoding": "gzip" });
  expect(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString()).toBe(mainScript);
  const fresh = await ask({ "if-none-match": whole.headers.get("etag") ?? "" });
  expect([fresh.status, fresh.headers.get("cache-control")]).toEqual([304, "no-cache"]);
});
