import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findPinnedNode } from "./pinned-node.mjs";

const name = `node-${process.platform}-${process.arch}`;
let above: string;
let project: string;
let folder: string;

beforeEach(() => {
  above = realpathSync(mkdtempSync(join(tmpdir(), "keyhearth-launcher-")));
  project = join(above, "project");
  folder = join(project, "node_modules/keyhearth");
  mkdirSync(folder, { recursive: true });
  const manifest = { name: "keyhearth", optionalDependencies: { [name]: "24.1.2" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
});

afterEach(() => rmSync(above, { recursive: true, force: true }));

function putNode(modules: string, version = "24.1.2"): string {
  const place = join(modules, name);
  mkdirSync(join(place, "bin"), { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ name, version }));
  const node = join(place, "bin/node");
  writeFileSync(node, "");
  chmodSync(node, 0o755);
  return node;
}

test("the pinned Node.js is found where npm puts it, and nowhere above", () => {
  putNode(join(above, "node_modules"));
  expect(findPinnedNode(folder)).toBeUndefined();
  const hoisted = putNode(join(project, "node_modules"));
  expect(findPinnedNode(folder)).toBe(hoisted);
  const own = putNode(join(folder, "node_modules"));
  expect(findPinnedNode(folder)).toBe(own);
});

test("a package that is in no node_modules takes nothing from the folder around it", () => {
  const linked = join(above, "keyhearth");
  mkdirSync(linked);
  const manifest = { name: "keyhearth", optionalDependencies: { [name]: "24.1.2" } };
  writeFileSync(join(linked, "package.json"), JSON.stringify(manifest));
  putNode(above);
  putNode(join(above, "node_modules"));
  expect(findPinnedNode(linked)).toBeUndefined();
});

test("a Node.js of another version, or one that all users may write, is none", () => {
  const node = putNode(join(project, "node_modules"), "0.0.1");
  expect(findPinnedNode(folder)).toBeUndefined();
  putNode(join(project, "node_modules"));
  expect(findPinnedNode(folder)).toBe(node);
  chmodSync(node, 0o777);
  expect(findPinnedNode(folder)).toBeUndefined();
});

test.runIf(process.getuid?.() === 0)("a Node.js of another user is none", () => {
  const node = putNode(join(project, "node_modules"));
  chownSync(node, 64_009, 64_009);
  expect(findPinnedNode(folder)).toBeUndefined();
  // Its installer could also change the launcher.
  chownSync(folder, 64_009, 64_009);
  expect(findPinnedNode(folder)).toBe(node);
});
