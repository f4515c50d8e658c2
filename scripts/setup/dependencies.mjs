// Makes node_modules match package-lock.json, with the host's npm.

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { findNpm } from "./npm.mjs";
import { collect, SetupError } from "./run.mjs";

/** @typedef {import("./npm.mjs").Npm} Npm */

/** @param {string} root */
export async function installDependencies(root) {
  const stamp = join(root, "node_modules/.keyhearth-setup");
  const wanted = fingerprint(root);
  if (readText(stamp) === wanted && existsSync(nodeOf(root))) return;

  const npm = findNpm(root);
  if (!isLocked(root)) throw new SetupError(notLocked);
  if (!isInstalled(root) || !existsSync(nodeOf(root))) await install(root, npm);
  await checkNode(root);
  await checkNativeSecp256k1(root, npm);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

/** The package with the Node.js of this platform. @param {string} root */
function pinnedNode(root) {
  const { platform, arch } = process;
  const name = `node-${platform === "win32" ? "win" : platform}-${arch}`;
  const version = readJson(join(root, "package.json"))?.optionalDependencies?.[name];
  return version === undefined ? undefined : { name, version };
}

/**
 * The Node.js that every npm script of this repository runs on: the one that package-lock.json pins, or on a
 * platform without one the host's own.
 * @param {string} root
 */
function nodeOf(root) {
  const pinned = pinnedNode(root);
  if (!pinned) return process.execPath;
  const file = process.platform === "win32" ? "node.exe" : "node";
  return join(root, "node_modules", pinned.name, "bin", file);
}

/** Changes whenever an install may be needed. @param {string} root */
function fingerprint(root) {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const path of ["package-lock.json", ...workspaces(root).map(manifest)]) {
    hash.update(`${path}\n${readText(join(root, path))}\n`);
  }
  return hash.digest("hex");
}

/** The root, as "", and every workspace. @param {string} root */
function workspaces(root) {
  const members = ["packages", "apps"].flatMap((parent) =>
    readdirSync(join(root, parent))
      .sort()
      .map((name) => `${parent}/${name}`),
  );
  return ["", ...members.filter((path) => existsSync(join(root, manifest(path))))];
}

/** @param {string} workspace */
function manifest(workspace) {
  return join(workspace, "package.json");
}

/**
 * Also true if somebody ran npm by hand: npm's own record of node_modules then matches the lock file.
 * @param {string} root
 */
function isInstalled(root) {
  const lock = readJson(join(root, "package-lock.json"));
  const installed = readJson(join(root, "node_modules/.package-lock.json"));
  if (!installed) return false;
  return Object.entries(lock.packages)
    .filter(([path]) => path.includes("node_modules/"))
    .every(([path, { version, integrity, optional }]) => {
      const present = installed.packages[path];
      if (!present) return optional;
      const isSame = present.version === version && present.integrity === integrity;
      return isSame && existsSync(join(root, path));
    });
}

/** Whether the lock file has everything that each package.json asks for. @param {string} root */
function isLocked(root) {
  const lock = readJson(join(root, "package-lock.json"));
  if (!lock?.packages) {
    throw new SetupError("package-lock.json is missing or damaged: restore it from git");
  }
  return workspaces(root).every((path) =>
    sameDependencies(readJson(join(root, manifest(path))), lock.packages[path]),
  );
}

/**
 * @param {Record<string, Record<string, string>> | undefined} declared
 * @param {Record<string, Record<string, string>> | undefined} locked
 */
function sameDependencies(declared, locked) {
  return ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"].every(
    (kind) =>
      JSON.stringify(Object.entries(declared?.[kind] ?? {}).sort()) ===
      JSON.stringify(Object.entries(locked?.[kind] ?? {}).sort()),
  );
}

/**
 * @param {string} root
 * @param {Npm} npm
 */
async function install(root, npm) {
  const probe = await npm.collect([
    "view",
    "node",
    "version",
    "--prefer-online",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=500",
    "--fetch-timeout=15000",
  ]);
  if (probe.code === 127) {
    throw new SetupError(
      "npm was not found: install Node.js 20 or newer together with npm from https://nodejs.org",
    );
  }
  // If the registry is unreachable, npm would retry each of a thousand packages for minutes. Its
  // cache may have them all.
  const isFirst = !existsSync(join(root, "node_modules/.package-lock.json"));
  const { bavail, bsize } = statfsSync(root);
  // npm hangs on a full disk instead of failing.
  if (isFirst && bavail * bsize < neededBytes) throw new SetupError(diskFull);

  // `npm ci` installs what the lock file pins, checks the digest of each package, and never changes the file.
  // NODE_ENV=production and `omit=optional` would leave out tools and the pinned Node.js.
  const { code, output } = await npm.run(
    isFirst
      ? `Install dependencies (first time: some minutes, ${neededSpace} of disk)`
      : "Install changed dependencies",
    [
      "ci",
      ...(unreachable.test(probe.output) ? ["--offline"] : []),
      "--include=dev",
      "--include=optional",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
    ],
  );
  if (code !== 0) throw new SetupError(explain(output), output);
}

/** npm leaves out an optional package that it cannot install, and says nothing. @param {string} root */
async function checkNode(root) {
  const place = `${process.platform}-${process.arch}`;
  const pinned = pinnedNode(root);
  if (!pinned) {
    if (Number(process.versions.node.split(".")[0]) >= OWN_NODE) return;
    throw new SetupError(
      `package-lock.json has no Node.js for ${place}: install Node.js ${OWN_NODE} or newer from https://nodejs.org, and run the command again`,
    );
  }
  const { output } = await collect(nodeOf(root), ["--version"]);
  if (output.trim() === `v${pinned.version}`) return;
  throw new SetupError(
    `Node.js ${pinned.version} of the package ${pinned.name} does not run here: look at the registry that npm uses (npm config list), remove node_modules, and run the command again`,
    output,
  );
}

/** The oldest that runs the sources, as in `scripts/launch.mjs`. */
const OWN_NODE = 24;

/**
 * The portable implementation gives the same signatures at a fraction of the speed, so this only warns.
 * @param {string} root
 * @param {Npm} npm
 */
async function checkNativeSecp256k1(root, npm) {
  const isNative = async () => {
    const script =
      'require("node-gyp-build")(require("node:path").resolve("node_modules/secp256k1"))';
    return (await collect(nodeOf(root), ["-e", script], { cwd: root })).code === 0;
  };
  if (!existsSync(join(root, "node_modules/secp256k1")) || (await isNative())) return;
  await npm.run("Build the native secp256k1 binding", [
    "rebuild",
    "secp256k1",
    "--ignore-scripts=false",
    "--loglevel=error",
  ]);
  if (await isNative()) return;
  console.warn(
    "  note  the native secp256k1 binding cannot be loaded here; signing works, but slower. A C compiler and\n" +
      "        Python let npm build it: apt-get install build-essential python3, then npm rebuild secp256k1",
  );
}

const notLocked =
  "package-lock.json does not have what a package.json asks for: run npm install, look at what it changes in package-lock.json, and run the command again";
/** What `node_modules` takes on the disk. */
const neededBytes = 2_000_000_000;
const neededSpace = `about ${neededBytes / 1_000_000_000} GB`;
const diskFull = `The disk is full: free ${neededSpace}, or move the clone to a larger disk, and run the command again`;
const unreachable =
  /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/;

/** Advice for the known ways in which npm fails. @param {string} output */
function explain(output) {
  if (/ENOSPC/.test(output)) {
    return diskFull;
  }
  if (unreachable.test(output)) {
    return "The npm registry cannot be reached: check the network and the proxy and registry settings of npm (npm config list), then run the command again";
  }
  if (/\b(EACCES|EPERM|EROFS)\b/.test(output)) {
    return "npm may not write here: make this directory and npm's cache writable for your user, then run the command again";
  }
  if (/EINTEGRITY/.test(output)) {
    return "A downloaded package does not match package-lock.json: run npm cache clean --force and try again; if it happens again, do not trust the registry you use";
  }
  if (/EBADENGINE/.test(output)) {
    return "This npm or Node.js is too old: install Node.js 20 or newer from https://nodejs.org";
  }
  return "npm could not install the dependencies: its output above says why; fix that and run the command again";
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** @param {string} path */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
