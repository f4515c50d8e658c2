import fs from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import type { PgliteStart } from "./pglite-thread.ts";

/** The embedded database. Statements run one after another, in the order they arrive. */
type Call = { id: number; call: "open" | "query" | "close"; text?: string; parameters?: unknown[] };

const port = parentPort;
if (!port) throw new Error("the embedded database runs as a worker thread");

const { directory, snapshot } = workerData as PgliteStart;
const INT8 = 20;
const BYTEA = 17;
let database: PGlite | undefined;

/**
 * PostgreSQL's default of 128 MB for pages costs as much again as the rest of the database. The
 * operating system holds the same pages.
 */
const settings = ["-c", "shared_buffers=16MB"];

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

/** PGlite's own conversions of bytes take twenty times as long: half a second for 4 MiB. */
function fromHex(text: string): Uint8Array {
  // Not from the pool of Node.js, where small buffers share a larger one.
  const bytes = Buffer.allocUnsafeSlow((text.length - 2) / 2);
  bytes.write(text.slice(2), "hex");
  return bytes;
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

function toHex(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

async function handle({ call, text = "", parameters = [] }: Call): Promise<object[]> {
  switch (call) {
    case "open":
      reportFailedWrites();
      database = await PGlite.create({
        ...(directory === null ? {} : { dataDir: directory }),
        ...(snapshot && { loadDataDir: await fs.openAsBlob(snapshot) }),
        parsers: { [INT8]: Number, [BYTEA]: fromHex },
        serializers: { [BYTEA]: toHex },
        startParams: [...PGlite.defaultStartParams, ...settings],
      });
      // Every statement has an index to use. A plan made for a small table must not stay in use later.
      await database.exec("SET enable_seqscan = off");
      return [];
    case "query": {
      if (!database) throw new Error("the embedded database is not open");
      // A text without parameters may hold several statements, as a migration does.
      if (parameters.length === 0) {
        const results = await database.exec(text);
        return results.at(-1)?.rows ?? [];
      }
      const { rows } = await database.query<object>(text, parameters);
      return rows;
    }
    case "close":
      await database?.close();
      return [];
  }
}

port.on("message", async (message: Call) => {
  try {
    const rows = await handle(message);
    port.postMessage({ id: message.id, rows }, largeIn(rows));
  } catch (error) {
    const { message: text, code } = error as Error & { code?: string };
    port.postMessage({ id: message.id, error: { message: text, code } });
  }
});
