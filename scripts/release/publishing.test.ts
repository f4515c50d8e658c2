import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { assertInstalled } from "./installed.ts";
import { assertChecked, assertPublishable } from "./publishing.ts";

/** A repository with one commit, whose check ends as the script says. */
function repository({ check }: { check: string }) {
  const folder = mkdtempSync(join(tmpdir(), "keyhearth-publishing-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  const manifest = { name: "keyhearth", version: "1.2.3", scripts: { check } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  git("init", "--quiet");
  git("add", "package.json");
  const author = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
  git(...author, "commit", "--quiet", "--message", "First");
  return { folder, git };
}

test("a tree with changes and a version with a tag are refused in a sentence", async () => {
  const { folder, git } = repository({ check: "exit 0" });
  await assertPublishable(folder);
  await assertChecked(folder);
  writeFileSync(join(folder, "new.txt"), "");
  await expect(assertPublishable(folder)).rejects.toThrow(
    "the tree has changes that are not committed, such as `new.txt`: commit or remove them",
  );
  rmSync(join(folder, "new.txt"));
  git("tag", "v1.2.3");
  await expect(assertPublishable(folder)).rejects.toThrow(
    "the tag v1.2.3 exists: set a new version with node scripts/release/version.ts VERSION",
  );
});

test("a check that fails is refused in a sentence", async () => {
  const { folder } = repository({ check: "exit 1" });
  await expect(assertChecked(folder)).rejects.toThrow(
    "a check fails: run `npm run check` and correct what it names",
  );
});

test("a package of another version than the lock has is refused in a sentence", () => {
  const { folder } = repository({ check: "exit 0" });
  const place = "packages/cli/node_modules/commander";
  const lock = { packages: { "": {}, [place]: { version: "14.0.3" } } };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  expect(() => assertInstalled(folder)).toThrow(
    `${place} is missing, and package-lock.json has 14.0.3: run npm ci`,
  );
  mkdirSync(join(folder, place), { recursive: true });
  const install = (version: string) =>
    writeFileSync(join(folder, place, "package.json"), JSON.stringify({ version }));
  install("5.1.0");
  expect(() => assertInstalled(folder)).toThrow(`${place} is 5.1.0`);
  install("14.0.3");
  assertInstalled(folder);
});
