import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { findService } from "./service-programs.ts";

test("the service is looked for beside this package, and not in a folder above", () => {
  const folder = mkdtempSync(join(tmpdir(), "keyhearth-beside-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const modules = join(folder, "project/node_modules");
  const bundle = pathToFileURL(join(modules, "@keyhearth/cli/dist/main.js")).href;
  const add = (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
    return pathToFileURL(path).href;
  };
  add(join(folder, "node_modules/keyhearth/bin/keyhearth.mjs"));
  expect(findService(bundle)).toBeUndefined();
  const beside = add(join(modules, "keyhearth/bin/keyhearth.mjs"));
  expect(findService(bundle)).toBe(beside);
  // In a clone.
  add(join(folder, "keyhearth/bin/keyhearth.mjs"));
  const source = pathToFileURL(join(folder, "packages/cli/src/main.ts")).href;
  expect(findService(source)).toBeUndefined();
});
