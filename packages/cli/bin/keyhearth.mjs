#!/usr/bin/env node
// A published package has a bundle. A checkout has the sources, which need a Node.js that strips
// types. If the running one cannot, the checkout's pinned one is used.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const source = new URL("../src/main.ts", import.meta.url);

if (!existsSync(source)) await import(new URL("../dist/main.js", import.meta.url).href);
else if (process.features.typescript) await runSource();
else runWith(pinnedNode());

/** Stripping types takes longer than most commands, so the result is cached. */
async function runSource() {
  module.enableCompileCache(
    fileURLToPath(new URL("../node_modules/.cache/keyhearth", import.meta.url)),
  );
  await import(source.href);
}

/** The package of this platform is the one that `npm ci` installed, because the lock file has its digest. */
function pinnedNode() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  // Not by a search, which would go on in folders above the checkout, and they may belong to others.
  const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
  return join(modules, name, "bin", process.platform === "win32" ? "node.exe" : "node");
}

/** @param {string} node */
function runWith(node) {
  if (!existsSync(node)) {
    console.error("keyhearth: the Node.js of this checkout is not installed: run `npm ci`");
    process.exitCode = 2;
    return;
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code, signal) => {
    // What a shell reports for a process that a signal ended.
    process.exitCode = signal ? 128 + constants.signals[signal] : (code ?? 2);
  });
}
