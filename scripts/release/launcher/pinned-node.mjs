// The Node.js that a release is made for, which npm installs beside the package.

import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * The pinned Node.js, in one of the two folders in which npm puts it: that of the package, or that in which the
 * package is. Folders above may belong to others, and what they hold would run with the rights of whoever starts this.
 *
 * @param {string} folder of the package
 * @returns {string | undefined}
 */
export function findPinnedNode(folder) {
  const { platform, arch } = process;
  const name = `node-${platform === "win32" ? "win" : platform}-${arch}`;
  const pinned = readManifest(folder)?.optionalDependencies?.[name];
  if (pinned === undefined) return undefined;
  const around = dirname(folder);
  const places = [join(folder, "node_modules")];
  if (basename(around) === "node_modules") places.push(around);
  for (const place of places) {
    const beside = join(place, name);
    if (readManifest(beside)?.version !== pinned) continue;
    const node = join(beside, "bin", platform === "win32" ? "node.exe" : "node");
    if (isOfOwner(node, folder)) return node;
  }
  return undefined;
}

/**
 * Whether nobody else could have put the file there. Its installer may change all of it anyway.
 *
 * @param {string} node
 * @param {string} folder
 */
function isOfOwner(node, folder) {
  try {
    const found = statSync(node);
    if (!found.isFile()) return false;
    // Windows has no owners here.
    if (process.geteuid === undefined) return true;
    const owners = [0, process.geteuid(), statSync(folder).uid];
    return [found, statSync(dirname(realpathSync(node)))].every(
      ({ uid, mode }) => owners.includes(uid) && (mode & 0o002) === 0,
    );
  } catch {
    return false;
  }
}

/**
 * @param {string} folder
 * @returns {{ version?: string, optionalDependencies?: Record<string, string> } | undefined}
 */
function readManifest(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  } catch {
    return undefined;
  }
}
