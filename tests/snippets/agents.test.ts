import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, expect, test } from "vitest";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

// An agent asks the running service about the documentation as it was built.

const page = readFileSync(
  new URL("../../apps/website/docs/guides/agents.mdx", import.meta.url),
  "utf8",
);

let product: SharedProduct;

beforeAll(async () => {
  product = await sharedProduct();
});

async function call(name: string, args: Record<string, unknown>): Promise<string> {
  const client = new Client({ name: "a test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${product.url}/mcp`)));
  const { content } = await client.callTool({ name, arguments: args });
  await client.close();
  return (content as { text: string }[])[0]?.text ?? "";
}

test("an agent finds a call by its name, and reads its section", async () => {
  const found = await call("search_docs", { query: "create_wallet" });
  expect(found).toMatch(/^## API Reference > Wallets > Create wallet\n\n\S+\/api#create_wallet\n/);
  const section = await call("read_page", { path: "/api#create_wallet" });
  expect(section).toMatch(/^### Create wallet\n/);
  expect(section).toContain("walletName");
  expect(section).not.toContain("### Create wallet accounts");
});

test("an agent finds what a message of an error means, and pages in Spanish", async () => {
  const query = "STAMP_MALFORMED";
  expect(await call("search_docs", { query })).toContain(
    "/developer-reference/api-overview/errors#",
  );
  expect(await call("search_docs", { query: "raíz", language: "es" })).toContain("/es/concepts/");
  const untranslated = await call("search_docs", { query: "create_wallet", language: "es" });
  expect(untranslated).toContain("/api#create_wallet");
});

test("the command of the page is answered", async () => {
  const [, command = ""] = /```bash\n(curl [^`]*)```/.exec(page) ?? [];
  const asked = command.replace("http://localhost:3000", product.url);
  const { stdout } = await promisify(execFile)("sh", ["-c", asked]);
  expect(stdout).toContain("/api#create_wallet");
});
