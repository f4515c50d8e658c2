// What something was built from, so that it is built again only if that has changed.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

// What examples write when they run is left out: their keys are nobody else's to read.
const ignored =
  /^examples\/[^/]+\/data$|(^|\/)(node_modules|build|dist|target|__pycache__|coverage|\.[^/]*|[^/]*\.test\.[cm]?tsx?|[^/]*\.log)$/;

/**
 * For most files, size and time of change show that nothing changed. For the rest the digest decides, so
 * that a fresh checkout or a touched file does not cause a build.
 * @typedef {Record<string, { size: number, mtimeMs: number, digest: string }>} Manifest
 */

/**
 * @param {string} root
 * @param {{ inputs: string[], variables: string[], known: Manifest }} what
 * @returns {Manifest}
 */
export function scan(root, { inputs, variables, known }) {
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
  if (ignored.test(path)) return;
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  if (!stat) return;
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
export function sameContent(a, b) {
  const paths = Object.keys(b);
  return (
    paths.length === Object.keys(a).length &&
    paths.every((path) => a[path]?.digest === b[path]?.digest)
  );
}

/** @param {string} root @param {string} path @returns {Manifest} */
export function readManifest(root, path) {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8"));
  } catch {
    return {};
  }
}

/** @param {string} root @param {string} path @param {Manifest} manifest */
export function writeManifest(root, path, manifest) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), JSON.stringify(manifest));
}
