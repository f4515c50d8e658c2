import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { foreignMessages } from "./foreign-messages.ts";

const meaningOf = (text: string) => foreignMessages(text).map(({ meaning }) => meaning);

test("what this runtime says about a port and a file is known", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const taken = await new Promise<Error>((resolve) => {
    createServer().once("error", resolve).listen(address.port, "127.0.0.1");
  });
  expect(meaningOf(String(taken))).toEqual([
    expect.stringContaining("Another process has the port"),
  ]);

  await new Promise((resolve) => server.close(resolve));
  const away = `http://127.0.0.1:${address.port}/`;
  const refused = await fetch(away).catch((error: Error) => String(error.cause));
  expect(meaningOf(String(refused))).toEqual([expect.stringContaining("Nothing listens")]);

  const missing = await readFile("/nowhere/root-api-key.json").catch(String);
  expect(meaningOf(String(missing))).toEqual([expect.stringContaining("The key file isn’t there")]);
});

test.each([
  ['TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".mts" for /a/b.mts', "too old"],
  ["cannot reach http://localhost:3000: <urlopen error [Errno 111] Connection refused>", "Nothing"],
  ["SyntaxError: Unexpected token '<', \"<!doctype \"... is not valid JSON", "instead of JSON"],
  ["TypeError: Failed to fetch", "The browser"],
  ["Error: self-signed certificate in certificate chain", "certificate"],
  ["getaddrinfo ENOTFOUND keys.exmaple.com", "No machine"],
])("%s is known", (text, meaning) => {
  expect(meaningOf(text)).toEqual([expect.stringContaining(meaning)]);
});

test("nothing is said about other texts, and each place exists", () => {
  expect(foreignMessages("could not verify api key signature")).toEqual([]);
  const docs = fileURLToPath(new URL("../../../docs", import.meta.url));
  for (const { to } of foreignMessages("ECONNREFUSED EADDRINUSE")) {
    const [path = "", anchor = ""] = to.split("#");
    const file = join(docs, `${path}.mdx`);
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, "utf8")).toContain(`{/* #${anchor} */}`);
  }
});
