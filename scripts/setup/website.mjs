// Builds the site when one of its inputs has changed since the last build.

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { findNpm } from "./npm.mjs";
import { SetupError } from "./run.mjs";

const website = "apps/website";
const manifestPath = ".cache/keyhearth/website.json";

// Everything that pages are built from. The lock file determines the version of the builder.
const inputs = [
  website,
  "contract",
  "packages/sdk",
  "packages/policy",
  "packages/crypto",
  "examples",
  "scripts/page-history.ts",
  "scripts/changelog",
  "changelog",
  "CHANGELOG.md",
  "package-lock.json",
];
// One page of each language. A build of a single language, made by hand, is not the whole site.
const outputs = ["build/index.html", "build/es/index.html"];
const ignored =
  /(^|\/)(node_modules|build|dist|target|__pycache__|coverage|\.[^/]*|[^/]*\.test\.[cm]?tsx?|[^/]*\.log)$/;

// For hosts of plain files. The service writes its own address into the pages that it serves.
const variables = ["KEYHEARTH_SITE_URL"];

/**
 * For most files, size and time of change show that nothing changed. For the rest the digest decides, so
 * that a fresh checkout or a touched file does not cause a build.
 * @typedef {Record<string, { size: number, mtimeMs: number, digest: string }>} Manifest
 */

/** @param {string} root */
export async function buildWebsite(root) {
  if (!existsSync(join(root, website, "package.json"))) return;
  const built = readManifest(root);
  const current = scan(root, built);
  const isWhole = outputs.every((output) => existsSync(join(root, website, output)));
  if (isWhole && sameContent(built, current)) {
    if (JSON.stringify(built) !== JSON.stringify(current)) writeManifest(root, current);
    return;
  }

  // An interrupted build must not look finished.
  rmSync(join(root, manifestPath), { force: true });
  const { code, output } = await findNpm(root).run("Build the site", [
    "run",
    "build",
    "--workspace",
    website,
  ]);
  if (code !== 0) throw new SetupError(explain(output), output);
  writeManifest(root, current);
}

/** @param {string} root @param {Manifest} known @returns {Manifest} */
function scan(root, known) {
  /** @type {Manifest} */
  const found = {};
  for (const input of inputs) visit(root, input, known, found);
  for (const name of variables) {
    found[`$${name}`] = { size: 0, mtimeMs: 0, digest: process.env[name] ?? "" };
  }
  return found;
}

/** @param {string} root @param {string} path @param {Manifest} known @param {Manifest} found */
function visit(root, path, known, found) {
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  if (!stat || ignored.test(path)) return;
  if (stat.isDirectory()) {
    for (const name of readdirSync(join(root, path)).sort()) {
      visit(root, `${path}/${name}`, known, found);
    }
    return;
  }
  const { size, mtimeMs } = stat;
  const before = known[path];
  const digest =
    before && before.size === size && before.mtimeMs === mtimeMs
      ? before.digest
      : createHash("sha256")
          .update(readFileSync(join(root, path)))
          .digest("base64");
  found[path] = { size, mtimeMs, digest };
}

/** @param {Manifest} a @param {Manifest} b */
function sameContent(a, b) {
  const paths = Object.keys(b);
  return (
    paths.length === Object.keys(a).length &&
    paths.every((path) => a[path]?.digest === b[path]?.digest)
  );
}

/** @param {string} root @returns {Manifest} */
function readManifest(root) {
  try {
    return JSON.parse(readFileSync(join(root, manifestPath), "utf8"));
  } catch {
    return {};
  }
}

/** @param {string} root @param {Manifest} manifest */
function writeManifest(root, manifest) {
  mkdirSync(dirname(join(root, manifestPath)), { recursive: true });
  writeFileSync(join(root, manifestPath), JSON.stringify(manifest));
}

/** @param {string} output */
function explain(output) {
  if (/ENOSPC/.test(output)) return "The disk is full: free some space and run the command again";
  if (/heap out of memory|SIGKILL/.test(output)) {
    return "The site needs about 2 GB of free memory to build: close something and run the command again";
  }
  return "The site could not be built: the output above names the page or file; fix it and run the command again";
}
