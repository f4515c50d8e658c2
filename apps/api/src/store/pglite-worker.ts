import fs from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { createStatements, type Statements } from "./pglite-statements.ts";
import type { PgliteCall, PgliteStart } from "./pglite-thread.ts";
import { unbrotli } from "./unbrotli.ts";

/** The embedded database. Statements run one after another, in the order they arrive. */

const port = parentPort;
if (!port) throw new Error("the embedded database runs as a worker thread");

const { directory, snapshot } = workerData as PgliteStart;
const INT8 = 20;
let database: PGlite | undefined;
let statements: Statements | undefined;

/**
 * PostgreSQL's default of 128 MB for pages costs as much again as the rest of the database. The
 * operating system holds the same pages. And every statement would wait while 16 MB of zeros are written for the next
 * part of the log. Estimates are made of a few thousand rows of a table, which takes some ten milliseconds.
 */
const settings = [
  "shared_buffers=16MB",
  "wal_init_zero=off",
  "default_statistics_target=10",
].flatMap((each) => ["-c", each]);

/**
 * The database evaluates texts of the libraries that its settings or functions name, so a copy that somebody changed would
 * run JavaScript with the rights of the service. None of PostgreSQL's own libraries has such a text.
 */
function refuseCodeOfTexts() {
  const value = () => {
    throw new EvalError("the embedded database makes no code of texts");
  };
  Object.defineProperty(globalThis, "eval", { value, writable: false, configurable: false });
}

/** A write that failed may have been one that the database does not recover from. */
function reportFailedWrites() {
  const write = fs.writeSync;
  const reporting = (...parameters: Parameters<typeof write>) => {
    try {
      return write(...parameters);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      port?.postMessage({ note: "write failed", code });
      throw error;
    }
  };
  fs.writeSync = reporting as typeof write;
}

/** A packed one is that of a bundle, from which a first start would unpack its files. */
async function openSnapshot(path: string): Promise<Blob> {
  if (!path.endsWith(".br")) return fs.openAsBlob(path);
  return new Blob([await unbrotli(await fs.promises.readFile(path))]);
}

/** Handing over a buffer costs more than copying a small one. */
const LEAST_HANDED_OVER = 16 * 1024;

/** Large values, which the other thread gets as they are: it would need a while to copy them. */
function largeIn(rows: object[]): ArrayBuffer[] {
  const values = rows.flatMap((row) => Object.values(row));
  return values
    .filter((value) => value instanceof Uint8Array && value.length >= LEAST_HANDED_OVER)
    .map(({ buffer }) => buffer);
}

async function handle(call: PgliteCall): Promise<object[]> {
  switch (call.call) {
    case "open":
      reportFailedWrites();
      refuseCodeOfTexts();
      database = await PGlite.create({
        ...(directory === null ? {} : { dataDir: directory }),
        ...(snapshot && { loadDataDir: await openSnapshot(snapshot) }),
        parsers: { [INT8]: Number },
        startParams: [...PGlite.defaultStartParams, ...settings],
      });
      // Every statement has an index to use. A plan made for a small table must not stay in use later.
      await database.exec("SET enable_seqscan = off");
      statements = createStatements(database);
      return [];
    case "query": {
      if (!statements) throw new Error("the embedded database is not open");
      return statements.run(call.name, call.text, call.parameters);
    }
    case "close":
      await database?.close();
      return [];
  }
}

let last = Promise.resolve();
port.on("message", (message: PgliteCall & { id: number }) => {
  last = last.then(() => answer(message));
});

async function answer({ id, ...call }: PgliteCall & { id: number }) {
  try {
    const rows = await handle(call);
    port?.postMessage({ id, rows }, largeIn(rows));
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    port?.postMessage({ id, error: { message, code } });
  }
}
