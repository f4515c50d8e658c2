import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlOf } from "./curl.ts";

test("a shell passes on the exact bytes", () => {
  const url = "http://localhost:3000/public/v1/query/whoami";
  const header = { name: "X-Stamp", value: "it's" };
  const body = `{\n  "name": "it's $HOME \\"quoted\\" \`id\` é ''"\n}`;
  const command = curlOf({ url, header, body }).replace(/^curl /, "printf '%s\\0' ");
  const output = execFileSync("sh", ["-c", command], { encoding: "utf8" });
  const [first, ...rest] = output.split("\0");
  expect(first).toBe(url);
  expect(rest.slice(0, -1)).toEqual([
    "-H",
    "Content-Type: application/json",
    "-H",
    "X-Stamp: it's",
    "--data-raw",
    body,
  ]);
});
