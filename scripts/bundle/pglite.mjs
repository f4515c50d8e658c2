// What a bundle has in the place of `@electric-sql/pglite`. Of the package's 27 MB the service needs three files, and these
// are stored compressed: 4 MB, which a start decompresses in a tenth of a second.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PGlite as Installed, protocol, types } from "@electric-sql/pglite";
import { unbrotli } from "../../apps/api/src/store/unbrotli.ts";

export { protocol, types };

export class PGlite extends Installed {
  /** @type {typeof Installed.create} */
  // @ts-expect-error The package declares one function by several forms of its parameters.
  static async create(options) {
    const isThere =
      options?.loadDataDir !== undefined || existsSync(join(options?.dataDir ?? "", "PG_VERSION"));
    const [pgliteWasmModule, initdbWasmModule, data] = await Promise.all([
      compile("pglite.wasm"),
      isThere ? undefined : compile("initdb.wasm"),
      read("pglite.data"),
    ]);
    const fsBundle = new Blob([data]);
    return Installed.create({
      pgliteWasmModule,
      ...(initdbWasmModule && { initdbWasmModule }),
      fsBundle,
      ...options,
    });
  }
}

/** @param {string} name */
async function compile(name) {
  return WebAssembly.compile(await read(name));
}

/** @param {string} name */
async function read(name) {
  return unbrotli(await readFile(new URL(`database/${name}.br`, import.meta.url)));
}
