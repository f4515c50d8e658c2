import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";

// All that the signer loads can misuse the keys, so it has to be read before each release. Decision 23 says why each
// package has a bound. A change that raises one says why in its commit.

const root = fileURLToPath(new URL("..", import.meta.url));

const bounds: Record<string, number> = {
  "packages/engine": 22_560,
  "packages/crypto": 9_370,
  "packages/policy": 5_000,
  "packages/outbound": 1020,
  "apps/signer": 8_040,
};

let files: string[];

beforeAll(async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["apps/signer/src/main.ts"],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    // Compiled code of packages, and what they load only if it is there.
    external: ["*.node", "node-gyp-build", "bufferutil", "utf-8-validate"],
    logLevel: "silent",
  });
  files = Object.keys(metafile.inputs).filter((path) => !path.includes("node_modules"));
});

test.each(Object.entries(bounds))("the signer loads of %s at most %d lines", (folder, bound) => {
  const loaded = files.filter((path) => path.startsWith(`${folder}/`));
  expect(loaded.length).toBeGreaterThan(2);
  const lines = loaded.map((path) => readFileSync(join(root, path), "utf8").split("\n").length);
  expect(lines.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(bound);
});

test("the signer loads nothing else of ours, and nothing that only advises", () => {
  const known = Object.keys(bounds);
  const other = files.filter((path) => !known.some((folder) => path.startsWith(`${folder}/`)));
  expect(other).toEqual([]);
  expect(files.filter((path) => /\/advice\/|\.test\.ts$/.test(path))).toEqual([]);
});
