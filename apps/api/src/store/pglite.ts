import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { StartError } from "../config/start-error.ts";
import { summaryOf, tracedStatement } from "../observability/spans.ts";
import { dbOver } from "./db-over.ts";
import { isDiskFull } from "./disk-full.ts";
import { hasPackedDatabase, packed, unpackDatabase } from "./packed-database.ts";
import { createInPlace, hasEmbeddedDatabase, hasRoom, RESERVE_BYTES } from "./pglite-directory.ts";
import { type PgliteStart, type PgliteThread, startPgliteThread } from "./pglite-thread.ts";
import { createStatementNames } from "./statement-names.ts";

/** The embedded database; in memory if there is no directory. */
export async function openPglite(place: PgliteStart) {
  const { directory } = place;
  const query = await startPglite(place);
  const nameOf = createStatementNames();
  return {
    kind: "pglite" as const,
    isDistributed: false,
    db: dbOver(
      (text, values) =>
        tracedStatement(summaryOf(text), () => query.run(nameOf(text, values), text, values)),
      query.close,
    ),
    connections: 1,
    place: null,
    standbys: null,
    run: (name: string, text: string, values: unknown[]) =>
      tracedStatement(name, () => query.run(name, text, values)),
    async probe() {
      assertRoom(directory);
      await query.run("probe", "SELECT 1 WHERE $1::int = 1", [1]);
    },
    close: query.close,
  };
}

/**
 * Runs statements in a thread, and starts that thread again after a failed write: what was committed
 * is in the log, and the database finds it there when it opens.
 */
async function startPglite(place: PgliteStart) {
  const { directory } = place;
  let thread: Promise<PgliteThread> | null = null;
  let isClosed = false;

  function start(): Promise<PgliteThread> {
    const forget = () => {
      if (thread === started) thread = null;
    };
    const started: Promise<PgliteThread> = startPgliteThread(place, forget);
    started.catch(forget);
    return started;
  }

  try {
    if (directory !== null && !hasEmbeddedDatabase(directory)) await create(directory);
    assertRoom(directory);
    thread = start();
    await thread;
  } catch (cause) {
    throw openError(directory ?? "memory", cause);
  }
  return {
    async run(name: string, text: string, parameters: unknown[]) {
      if (isClosed) throw new Error("the embedded database has stopped");
      if (thread === null || !/^\s*select\b/i.test(text)) assertRoom(directory);
      thread ??= start();
      const { call } = await thread;
      return call({ call: "query", name, text, parameters });
    },
    async close() {
      isClosed = true;
      await (await thread?.catch(() => null))?.close();
    },
  };
}

/** Compiled quickly and not well: most of it runs once. */
const creating = ["--liftoff-only", fileURLToPath(new URL("./pglite-create.ts", import.meta.url))];

async function create(directory: string) {
  assertRoom(dirname(directory));
  await createInPlace(directory, hasPackedDatabase() ? unpack : initialize);
}

function unpack(directory: string): Promise<void> {
  return unpackDatabase(packed, directory);
}

async function initialize(directory: string) {
  const run = promisify(execFile)(process.execPath, [...creating, directory]);
  await run.catch((cause: { stdout?: string }) => {
    const code = cause.stdout ?? "";
    throw Object.assign(new Error("the embedded database was not created", { cause }), { code });
  });
}

function assertRoom(directory: string | null) {
  if (directory === null || hasRoom(directory)) return;
  throw Object.assign(new Error("the disk of the embedded database is full"), { code: "53100" });
}

function openError(directory: string, cause: unknown): StartError {
  if (cause instanceof StartError) return cause;
  if (isDiskFull(cause)) {
    return new StartError(
      `the disk of the embedded database in ${directory} is full; free at least ${RESERVE_BYTES / 1024 / 1024} MB, or set KEYHEARTH_DATA_DIR to a directory on another disk`,
      { cause },
    );
  }
  return new StartError(
    `the embedded database in ${directory} cannot be opened; if the directory is damaged, restore it from a backup`,
    { cause },
  );
}
