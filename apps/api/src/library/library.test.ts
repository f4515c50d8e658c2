import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Records } from "@keyhearth/search/records";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createSite } from "../serve/site.ts";
import { createLibrary, type Library } from "./library.ts";

const directory = mkdtempSync(join(tmpdir(), "keyhearth-library-"));
let library: Library;

const records: Records = {
  language: "en",
  pages: [
    ["/concepts/wallets", "default", "Concepts", [["", 1, "Wallets", "A wallet is a seed."]]],
  ],
  untranslated: [],
};

beforeAll(() => {
  writeFileSync(join(directory, "index.html"), "<title>Home</title>");
  writeFileSync(join(directory, "search.json"), JSON.stringify(records));
});
afterEach(() => library.stop());
afterAll(() => rmSync(directory, { recursive: true }));

const open = (options: Partial<Parameters<typeof createLibrary>[0]> = {}) => {
  library = createLibrary({ site: createSite({ buildDirectory: directory }), ...options });
};
const find = (sender: string, text = "wallet") =>
  library.find(text, { language: "en", most: 1, sender });

test("who asks for much at once waits, and everybody else has the next turn", async () => {
  open();
  const served: string[] = [];
  const note = (sender: string) =>
    find(sender).then(
      () => served.push(sender),
      (error: Error) => served.push(error.message),
    );
  const flood = Array.from({ length: 40 }, () => note("flood"));
  await note("other");
  expect(served.filter((each) => each === "flood").length).toBeLessThanOrEqual(2);
  await Promise.all(flood);
  const refused = served.filter((each) => each.startsWith("many searches are under way"));
  expect(refused).toHaveLength(35);
});

test("a search that takes too long ends alone, and those that wait are served", async () => {
  const slow = join(directory, "slow.mjs");
  const thread = new URL("../library-thread.ts", import.meta.url);
  writeFileSync(
    slow,
    `import { parentPort } from "node:worker_threads";
parentPort.on("message", ({ text }) => { while (text === "slow"); });
await import(${JSON.stringify(thread.href)});`,
  );
  open({ entry: pathToFileURL(slow), mostMs: 1500 });
  expect(await find("other")).toHaveLength(1);
  const late = find("a", "slow");
  const others = [find("a"), find("b")];
  await expect(late).rejects.toThrow("took too long");
  expect(await Promise.all(others)).toEqual([[expect.anything()], [expect.anything()]]);
});
