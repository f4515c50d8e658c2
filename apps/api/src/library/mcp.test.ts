import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { createAdaptorServer } from "@hono/node-server";
import type { Records } from "@keyhearth/search/records";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createSite } from "../serve/site.ts";
import { appOf, startTestServer, type TestServer } from "../testing.ts";
import { createLibrary, type Library } from "./library.ts";
import { createMcp } from "./mcp.ts";

const publicUrl = "https://docs.example.com";
const directory = mkdtempSync(join(tmpdir(), "keyhearth-library-"));

const wallets = `# Wallets

A wallet is a seed.

## Create one

\`\`\`sh
## not a heading
\`\`\`

Name it.

### Words

Twelve.

## Read them

All of them.
`;

const records: Records = {
  language: "en",
  pages: [
    [
      "/concepts/wallets",
      "default",
      "Concepts",
      [
        ["", 1, "Wallets", "A wallet is a seed."],
        ["create-one", 2, "Create one", "Name it."],
        ["read-them", 2, "Read them", `All of them. ${"Every account. ".repeat(200)}`],
      ],
    ],
    ["/faq", "default", "", [["", 1, "Questions", "Which chains sign?"]]],
  ],
  untranslated: [],
};

let server: TestServer;
let library: Library;
let url: string;
let stop: () => void;
/** Each test asks from an address of its own. */
let tests = 0;
beforeEach(() => {
  tests += 1;
});

function write(path: string, text: string) {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

beforeAll(async () => {
  write("index.html", "<title>Home</title>");
  write("index.md", "# Home\n");
  write("concepts/wallets.md", wallets);
  write("long.md", "é".repeat(30_000));
  write("search.json", JSON.stringify(records));
  server = await startTestServer();
  const redirects = new Map([["/old/wallets.md", "/concepts/wallets.md"]]);
  library = createLibrary({ site: createSite({ buildDirectory: directory, redirects }) });
  ({ url, stop } = await serve(library));
});

async function serve(from: Library) {
  const clientAddress = () => `192.0.2.${tests}`;
  const options = { host: server.host, version: "9.9.9", publicUrl, clientAddress };
  const mcp = createMcp({ ...options, library: from });
  const http = createAdaptorServer({ fetch: appOf(server.host, { mcp, clientAddress }).fetch });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, stop: () => void http.close() };
}

afterAll(async () => {
  stop();
  await library.stop();
  await server.stop();
  rmSync(directory, { recursive: true });
});

async function connected(mode: "legacy" | "auto" = "auto"): Promise<Client> {
  const client = new Client({ name: "a test", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

async function call(name: string, args: Record<string, unknown>) {
  const client = await connected();
  try {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const [only] = content as { type: string; text: string }[];
    return { text: only?.text ?? "", isError: isError === true };
  } finally {
    await client.close();
  }
}

test.each([
  ["of 2025", "legacy"],
  ["of 2026", "auto"],
] as const)(
  "an agent %s sees what it can do, and that nothing of it changes anything",
  async (_, mode) => {
    const client = await connected(mode);
    expect(client.getServerVersion()).toMatchObject({ name: "keyhearth-docs", version: "9.9.9" });
    expect(client.getInstructions()).toContain("cite its address");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["search_docs", "read_page"]);
    for (const { annotations } of tools) expect(annotations).toMatchObject({ readOnlyHint: true });
    const { content } = await client.callTool({ name: "read_page", arguments: { path: "/" } });
    expect(content).toEqual([{ type: "text", text: "# Home\n" }]);
    await client.close();
  },
);

test("nobody keeps a connection open to wait for changes", async () => {
  const client = await connected();
  await expect(client.listen({ toolsListChanged: true })).rejects.toThrow();
  await client.close();
});

test("a search gives sections with their addresses, and long ones cut", async () => {
  const { text } = await call("search_docs", { query: "read accounts" });
  expect(text).toContain(
    "## Concepts > Wallets > Read them\n\nhttps://docs.example.com/concepts/wallets#read-them\n\nAll of them.",
  );
  expect(text).toMatch(/ …$/);
  expect(text.length).toBeLessThan(1500);
  expect((await call("search_docs", { query: "walet" })).text).toContain("## Concepts > Wallets\n");
  expect((await call("search_docs", { query: "zzzzqq" })).text).toBe(
    'Nothing was found for "zzzzqq".',
  );
});

test("a new build is searched without a restart", async () => {
  const changed: Records = structuredClone(records);
  changed.pages.push(["/new", "default", "", [["", 1, "Marmalade", "Oranges."]]]);
  write("search.json", JSON.stringify(changed));
  expect((await call("search_docs", { query: "marmalade" })).text).toContain("/new");
});

test.each([
  ["/concepts/wallets", wallets],
  ["/concepts/wallets.md", wallets],
  ["https://docs.example.com/concepts/wallets/", wallets],
  ["/old/wallets", wallets],
  ["/", "# Home\n"],
  ["https://docs.example.com", "# Home\n"],
  ["/concepts/wallets#read-them", "## Read them\n\nAll of them."],
  [
    "/concepts/wallets#create_one",
    wallets.slice(wallets.indexOf("## Create"), wallets.indexOf("## Read")).trim(),
  ],
])("the page %s is read", async (path, text) => {
  expect(await call("read_page", { path })).toEqual({ text, isError: false });
});

test("an anchor without a heading gives the whole page, and says so", async () => {
  const { text } = await call("read_page", { path: "/concepts/wallets#nowhere" });
  expect(text).toBe(`[No heading is named “nowhere”, so this is the whole page.]\n\n${wallets}`);
});

test("a long page comes in parts", async () => {
  const { text } = await call("read_page", { path: "/long" });
  expect(text).toBe(`${"é".repeat(24_000)}\n\n[The text goes on. Read it with "from": 24000.]`);
  expect((await call("read_page", { path: "/long", from: 24_000 })).text).toBe("é".repeat(6000));
  expect((await call("read_page", { path: "/long", from: 30_000 })).text).toBe(
    "The text has 30000 characters.",
  );
});

test.each([
  "/nowhere",
  "/../../etc/passwd",
  "/%2e%2e%2f%2e%2e%2fetc/passwd",
  "//evil.example/x",
  "https://evil.example/concepts/wallets",
  "file:///etc/passwd",
  "/search.json",
  "/a\u0000b",
])("%s is no page", async (path) => {
  const { text, isError } = await call("read_page", { path });
  expect(text).toContain("there is no page");
  expect(isError).toBe(true);
});

test.each([
  ["search_docs", { query: "" }],
  ["search_docs", { query: "x".repeat(201) }],
  ["search_docs", { query: "wallet", limit: 11 }],
  ["search_docs", { query: "wallet", language: "fr" }],
  ["read_page", { path: 7 }],
  ["read_page", { path: "/", from: -1 }],
])("%s refuses %j and says why", async (name, args) => {
  const { text, isError } = await call(name, args);
  expect(isError).toBe(true);
  expect(text).toContain(Object.keys(args).at(-1) ?? "");
});

function post(
  body: string,
  headers: Record<string, string> = {},
  { to = url, signal = null }: { to?: string; signal?: AbortSignal | null } = {},
) {
  return fetch(to, {
    signal,
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
  });
}

const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

test("pages of other sites are refused, and programs without an origin are not", async () => {
  expect((await post(ping)).status).toBe(200);
  expect((await post(ping, { origin: publicUrl })).status).toBe(200);
  const answer = await post(ping, { origin: "https://evil.example" });
  expect(answer.status).toBe(403);
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  expect((await answer.json()).message).toContain("only those of this site may use `/mcp`");
});

test.each([
  ["that is empty", "", 400, "it is empty"],
  ["that is cut off", "{", 400, "it ends too early"],
  ["with two messages", `[${ping},${ping}]`, 400, "expected a JSON object"],
  ["that is large", JSON.stringify({ filler: "x".repeat(17_000) }), 413, "larger than 16384 bytes"],
])("a body %s is refused", async (_, body, status, why) => {
  const answer = await post(body);
  expect(answer.status).toBe(status);
  expect((await answer.json()).message).toContain(why);
});

test("a Host header that is no host changes nothing", async () => {
  const status = await new Promise((resolve, reject) => {
    const headers = {
      host: "1.2.3.4.5",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const request = httpRequest(url, { method: "POST", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    request.on("error", reject);
    request.end(ping);
  });
  expect(status).toBe(200);
});

test("the search of an agent that has left is not made", async () => {
  const noted = join(directory, "noted.txt");
  const entry = join(directory, "noting.mjs");
  const thread = new URL("../library-thread.ts", import.meta.url);
  writeFileSync(noted, "");
  writeFileSync(
    entry,
    `import { appendFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
parentPort.on("message", ({ kind, text }) => {
  appendFileSync(${JSON.stringify(noted)}, (text ?? kind) + " ");
  const end = Date.now() + 2000;
  while (kind === "load" && Date.now() < end);
});
await import(${JSON.stringify(thread.href)});`,
  );
  const site = createSite({ buildDirectory: directory });
  const its = createLibrary({ site, entry: pathToFileURL(entry) });
  const { url: to, stop: stopIt } = await serve(its);
  const search = (query: string, signal: AbortSignal | null = null) => {
    const params = { name: "search_docs", arguments: { query } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    return post(body, {}, { to, signal }).then((answer) => answer.text());
  };
  const first = search("wallet");
  await expect.poll(() => readFileSync(noted, "utf8")).toBe("load ");
  const leaving = new AbortController();
  const left = search("seed", leaving.signal);
  await setTimeout(300);
  leaving.abort();
  await expect(left).rejects.toThrow();
  const last = search("questions");
  expect(await first).toContain("Wallets");
  expect(await last).toContain("Questions");
  expect(readFileSync(noted, "utf8")).toBe("load wallet questions ");
  stopIt();
  await its.stop();
});

test("other methods are refused", async () => {
  for (const method of ["GET", "PUT", "DELETE"]) {
    const answer = await fetch(url, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST");
  }
});

test("an agent that asks without a pause is told to wait", async () => {
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async () => (await post(ping)).status),
  );
  expect(statuses).toContain(200);
  expect(statuses).toContain(429);
});
