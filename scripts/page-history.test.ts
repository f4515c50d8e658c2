import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lastChanges, pageHistory } from "./page-history.ts";

let root: string;
let site: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "keyhearth-history-"));
  site = join(root, "whole/apps/website");
  mkdirSync(join(site, "docs/developer-reference"), { recursive: true });
  git("init", "--quiet");
  commit("2026-01-01", ["docs/a.mdx", "docs/b.mdx", "docs/developer-reference/changelog.mdx"]);
  commit("2026-01-03", ["docs/a.mdx"]);
  writeFileSync(join(site, "docs/new.mdx"), "");
});

afterAll(() => rmSync(root, { recursive: true }));

function git(...given: string[]) {
  execFileSync("git", given, { cwd: join(root, "whole") });
}

function commit(day: string, pages: string[]) {
  for (const page of pages) writeFileSync(join(site, page), day);
  git("add", ".");
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  git(...who, "commit", "--quiet", "-m", day, `--date=${day}T12:00:00Z`);
}

test("a page has the days of its changes, the newest first, and the changelog has none", () => {
  expect([...pageHistory(site)]).toEqual([
    ["docs/a.mdx", ["2026-01-03", "2026-01-01"]],
    ["docs/b.mdx", ["2026-01-01"]],
  ]);
});

test("the builder gets the last of them, and nothing of a page that is not committed", async () => {
  const changes = lastChanges();
  changes.initialize({ siteDir: site });
  const timeOf = async (page: string) =>
    (await changes.getFileLastUpdateInfo(join(site, page)))?.timestamp;
  expect(await timeOf("docs/a.mdx")).toBe(Date.parse("2026-01-03T00:00:00Z"));
  expect(await timeOf("docs/new.mdx")).toBeUndefined();
});

test("a shallow clone, an archive and a folder that is gone have no days", () => {
  execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${root}/whole`, "shallow"], {
    cwd: root,
  });
  expect(pageHistory(join(root, "shallow/apps/website")).size).toBe(0);
  mkdirSync(join(root, "archive/docs"), { recursive: true });
  expect(pageHistory(join(root, "archive")).size).toBe(0);
  expect(pageHistory(join(root, "gone")).size).toBe(0);
});
