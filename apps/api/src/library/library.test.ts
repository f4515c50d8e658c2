import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

test("of many senders with many searches, one that comes last with one search is served", async () => {
  open();
  const flood: Promise<string>[] = [];
  for (let sender = 0; sender < 9; sender++) {
    for (let search = 0; search < 4; search++) {
      flood.push(
        find(`flood ${sender}`).then(
          () => "found",
          (error: Error) => error.message,
        ),
      );
    }
  }
  expect(await find("person")).toHaveLength(1);
  const refused = (await Promise.all(flood)).filter((each) =>
    each.startsWith("many searches are under way"),
  );
  // The first search has begun, and 32 wait.
  expect(refused).toHaveLength(36 + 1 - 33);
});

test("of many senders with one search each, one that asked for nothing lately is served", async () => {
  open();
  const flood = Array.from({ length: 36 }, (_, sender) => `flood ${sender}`);
  for (const sender of flood) await find(sender);
  const again = Promise.allSettled(flood.map((sender) => find(sender)));
  expect(await find("person")).toHaveLength(1);
  const outcomes = await again;
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(36 + 1 - 33);
});

/** A thread that does this with each message before the library sees it. */
function threadWith(name: string, work: string): URL {
  const path = join(directory, name);
  const thread = new URL("../library-thread.ts", import.meta.url);
  writeFileSync(
    path,
    `import { appendFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
parentPort.on("message", ({ kind, text }) => { ${work} });
await import(${JSON.stringify(thread.href)});`,
  );
  return pathToFileURL(path);
}

const LOADING_FOR_LONG = `const end = Date.now() + 2500;
  while (kind === "load" && Date.now() < end);`;

test("a search on a busy machine is not given up while its index is made", async () => {
  open({ entry: threadWith("loading.mjs", LOADING_FOR_LONG), mostMs: 1500 });
  expect(await find("a")).toHaveLength(1);
});

test("an index that takes too long is given up with the search that needs it", async () => {
  open({ entry: threadWith("stuck.mjs", `while (kind === "load");`), mostLoadingMs: 1000 });
  await expect(find("a")).rejects.toThrow("took too long");
});

test("a search whose client has left is dropped, and leaves its place", async () => {
  const noted = join(directory, "noted.txt");
  const note = `if (text) appendFileSync(${JSON.stringify(noted)}, text + " ");`;
  open({ entry: threadWith("noting.mjs", note) });
  const client = new AbortController();
  const asked = (text: string, signal?: AbortSignal) =>
    library.find(text, { language: "en", most: 1, sender: "a", signal });
  const first = asked("wallet");
  const left = ["one", "two", "three"].map((text) => asked(text, client.signal));
  client.abort();
  const others = ["four", "five", "six", "seven"].map((text) => asked(text));
  for (const each of await Promise.allSettled(left)) {
    expect(each).toMatchObject({ status: "rejected", reason: { reason: "BAD_REQUEST_BODY" } });
  }
  await Promise.all([first, ...others]);
  await expect(asked("late", client.signal)).rejects.toThrow("connection ended");
  expect(readFileSync(noted, "utf8")).toBe("wallet four five six seven ");
});

test("a search that takes too long ends alone, and those that wait are served", async () => {
  open({ entry: threadWith("slow.mjs", `while (text === "slow");`), mostMs: 1500 });
  expect(await find("other")).toHaveLength(1);
  const late = find("a", "slow");
  const others = [find("a"), find("b")];
  await expect(late).rejects.toThrow("took too long");
  expect(await Promise.all(others)).toEqual([[expect.anything()], [expect.anything()]]);
});
