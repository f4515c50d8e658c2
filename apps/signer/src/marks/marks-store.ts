import { closeSync, openSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { decodeUtf8, encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding/bytes";
import { hmacSha256 } from "@keyhearth/crypto/primitives";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import { ApiError } from "@keyhearth/engine/errors";
import { readU32 } from "@keyhearth/engine/records/record";
import {
  type Beginning,
  type ClockMemory,
  FIRST_BEGINNING,
  lowerBeginning,
  type Span,
} from "../clock/accepted-times.ts";
import { renameDurably } from "../state/durable-file.ts";
import { LostMarksError, SignerStateError } from "../state/state-error.ts";
import { examineWal } from "./marks-wal.ts";

/**
 * The marks on disk: buckets of bytes in an SQLite database, each with a tag that binds its number and
 * its content. A killed process loses nothing that it wrote. A power cut may lose what was written
 * since the last sync, at most ten seconds ago.
 */
export type MarksStore = {
  /** Null if nothing was ever written to this bucket. */
  read(bucket: number): Uint8Array | null;
  /** Replaces buckets, all or none. */
  write(buckets: ReadonlyMap<number, Uint8Array>): void;
  /** Makes sure that a power cut loses nothing of what was written. */
  sync(): void;
  beginning(): Beginning;
  /** What is remembered of the clock. */
  clock(): ClockMemory;
  clockMs(): number;
  /** Keeps an instant of the clock and the timestamps that were accepted, and syncs the disk. */
  rememberClock(instantMs: number, accepted?: Span[]): void;
  /** Replaces all that is remembered of the clock, also by an earlier time, to which the beginning goes back. */
  replaceClock(memory: ClockMemory): void;
  close(): void;
};

/** How far these marks follow those that several signers share (decision 30). Null if they are kept here alone. */
export type Followed = {
  /** Which history they follow: one that an operator began. */
  history: string;
  /** The group that was followed last, and its digest. */
  sequence: number;
  digest: string;
  /** When the active signer was heard last, by this machine's clock. */
  heardMs: number;
};

/** Of marks that an operator began again, and that are in no history yet: they are newer than what the others have. */
export const UNSHARED: Followed = {
  history: "",
  sequence: Number.MAX_SAFE_INTEGER,
  digest: "",
  heardMs: 0,
};

/** Times that come with marks of another signer. */
export type Times = { clock: ClockMemory; beginning: Beginning };

/** Marks on this disk that may follow those of other signers. */
export type FollowingStore = MarksStore & {
  followed(): Followed | null;
  /** Replaces buckets, and keeps how far they follow, all or nothing. */
  follow(buckets: ReadonlyMap<number, Uint8Array>, followed: Followed | null, times?: Times): void;
  /** Every bucket that was ever written, in order. */
  buckets(): Iterable<readonly [number, Uint8Array]>;
};

export type StoreOptions = { key: SecretBytes; onTorn: () => void };

export const BUCKETS = 65_536;
/** The row that says how many buckets there are, and keeps the clock. */
const HEAD = BUCKETS;
// A row is its number, its content and a tag over both.
const NUMBER_BYTES = 4;
const TAG_BYTES = 32;
/** What the log may hold before it is written back. A checkpoint of this much takes about 10 ms. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;
/** Pages that a transaction writes besides the content. */
const OVERHEAD_BYTES = 8 * 1024;

type Content = {
  clock: ClockMemory;
  beginning?: Beginning;
  followed?: Followed | null;
  buckets: Iterable<readonly [number, Uint8Array]>;
};

/** Writes a new store and replaces the file with it. */
export function createMarksStore(path: string, key: SecretBytes, content: Content) {
  const temporary = `${path}.new`;
  for (const left of [temporary, `${temporary}-wal`, `${path}-wal`]) rmSync(left, { force: true });
  // SQLite gives its other files the mode of this one.
  closeSync(openSync(temporary, "wx", 0o600));
  explain(path, () => {
    const database = openDatabase(temporary);
    try {
      fill(database, { path, key, ...content });
    } finally {
      database.close();
    }
  });
  renameDurably(temporary, path);
}

type Filling = Content & { path: string; key: SecretBytes };

function fill(
  database: DatabaseSync,
  { path, key, clock, beginning = FIRST_BEGINNING, followed = null, buckets }: Filling,
) {
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("CREATE TABLE buckets (number INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT");
  const rows = createRows(database, path, key);
  database.exec("BEGIN");
  let count = 0;
  for (const [bucket, content] of buckets) {
    rows.put(bucket, content);
    count += 1;
  }
  rows.put(HEAD, encodeHead({ buckets: count, ...headOf(clock, beginning), followed }));
  database.exec("COMMIT");
}

/** Opens a store and verifies all of it. Throws SignerStateError if anything is missing or damaged. */
export function openMarksStore(path: string, { key, onTorn }: StoreOptions): FollowingStore {
  const wal = examineWal(`${path}-wal`);
  if (wal === "damaged") throw damaged(path, `its log ${path}-wal is broken before its end`);
  if (wal === "torn") onTorn();
  return explain(path, () => {
    const database = openDatabase(path);
    try {
      const rows = createRows(database, path, key);
      const known = verify(database, rows, path);
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return createStore({ database, rows, known, path });
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

type Opened = { database: DatabaseSync; rows: Rows; known: Set<number>; path: string };

function createStore({ database, rows, known, path }: Opened): FollowingStore {
  let head = decodeHead(rows.get(HEAD));
  let logBytes = 0;

  /** Syncs the log and writes it back. */
  function checkpoint() {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    logBytes = 0;
  }

  function transact(bytes: number, write: () => void) {
    try {
      if (logBytes > MAX_LOG_BYTES) checkpoint();
      database.exec("BEGIN");
      write();
      database.exec("COMMIT");
      logBytes += bytes + OVERHEAD_BYTES;
    } catch (cause) {
      if (database.isTransaction) database.exec("ROLLBACK");
      // It may have left frames that a shorter transaction would only partly overwrite.
      logBytes = Number.POSITIVE_INFINITY;
      throw notWritten(cause);
    }
  }

  function keepHead(next: Head) {
    transact(0, () => rows.put(HEAD, encodeHead(next)));
    head = next;
    checkpoint();
  }

  function put(buckets: ReadonlyMap<number, Uint8Array>, changed: Partial<Head>) {
    const added = [...buckets.keys()].filter((bucket) => !known.has(bucket));
    const next = { ...head, ...changed, buckets: head.buckets + added.length };
    let bytes = 0;
    for (const content of buckets.values()) bytes += content.length;
    transact(bytes, () => {
      for (const [bucket, content] of buckets) rows.put(bucket, content);
      if (added.length > 0 || Object.keys(changed).length > 0) rows.put(HEAD, encodeHead(next));
    });
    head = next;
    for (const bucket of added) known.add(bucket);
  }

  return {
    read: (bucket) => (known.has(bucket) ? rows.get(bucket) : null),
    write: (buckets) => put(buckets, {}),
    followed: () => head.followed,
    follow(buckets, followed, times) {
      put(buckets, { followed, ...(times && headOf(times.clock, times.beginning)) });
    },
    *buckets() {
      for (const bucket of [...known].sort((a, b) => a - b)) yield [bucket, rows.get(bucket)];
    },
    sync() {
      try {
        checkpoint();
      } catch (cause) {
        throw notWritten(cause);
      }
    },
    beginning: () => beginningOf(head),
    clock: () => ({ latestMs: head.clockMs, accepted: head.accepted, refused: head.refused }),
    clockMs: () => head.clockMs,
    rememberClock(instantMs, accepted = head.accepted) {
      keepHead({ ...head, clockMs: Math.max(head.clockMs, instantMs), accepted });
    },
    replaceClock(memory) {
      const beginning = lowerBeginning(beginningOf(head), memory);
      keepHead({ ...head, ...headOf(memory, beginning) });
    },
    close: () => explain(path, () => database.close()),
  };
}

/** Reads every bucket by its number, as it will be read later, and counts them. */
function verify(database: DatabaseSync, rows: Rows, path: string): Set<number> {
  const [mode] = database.prepare("PRAGMA journal_mode").all();
  if (mode?.journal_mode !== "wal") throw damaged(path, "it does not say that it has a log");
  const [check] = database.prepare("PRAGMA quick_check(1)").all();
  if (check?.quick_check !== "ok") throw damaged(path, "its pages do not fit together");
  const { buckets } = decodeHead(rows.get(HEAD));
  const known = new Set<number>();
  for (const { number } of database.prepare("SELECT number FROM buckets").all()) {
    if (number === HEAD) continue;
    rows.get(Number(number));
    known.add(Number(number));
  }
  if (known.size !== buckets) throw damaged(path, `${known.size} of ${buckets} buckets are there`);
  return known;
}

type Rows = {
  /** Throws SignerStateError if there is no such row, or if its tag does not verify. */
  get(number: number): Uint8Array;
  put(number: number, content: Uint8Array): void;
};

function createRows(database: DatabaseSync, path: string, key: SecretBytes): Rows {
  const select = database.prepare("SELECT content FROM buckets WHERE number = ?");
  const insert = database.prepare(
    "INSERT INTO buckets VALUES (?1, ?2) ON CONFLICT (number) DO UPDATE SET content = ?2",
  );
  return {
    get(number) {
      const bytes = select.get(number)?.content;
      if (!(bytes instanceof Uint8Array)) throw damaged(path, `bucket ${number} is missing`);
      const tagged = bytes.subarray(0, -TAG_BYTES);
      const isWhole = equalBytes(hmacSha256(key, tagged), bytes.subarray(-TAG_BYTES));
      if (isWhole && readU32(tagged, 0) === number) return tagged.subarray(NUMBER_BYTES);
      throw damaged(path, `bucket ${number} does not carry this signer's tag`);
    },
    put(number, content) {
      const bytes = new Uint8Array(NUMBER_BYTES + content.length + TAG_BYTES);
      new DataView(bytes.buffer).setUint32(0, number);
      bytes.set(content, NUMBER_BYTES);
      bytes.set(hmacSha256(key, bytes.subarray(0, -TAG_BYTES)), NUMBER_BYTES + content.length);
      insert.run(number, bytes);
    },
  };
}

type Head = {
  buckets: number;
  clockMs: number;
  beganAtMs: number;
  beganIn: Span[];
  accepted: Span[];
  refused: Span[];
  followed: Followed | null;
};

function headOf({ latestMs, accepted, refused }: ClockMemory, { atMs, spans }: Beginning) {
  return { beganAtMs: atMs, beganIn: spans, clockMs: latestMs, accepted, refused };
}

function beginningOf({ beganAtMs, beganIn }: Head): Beginning {
  return { atMs: beganAtMs, spans: beganIn };
}

function encodeHead(head: Head): Uint8Array {
  return encodeUtf8(JSON.stringify(head));
}

function decodeHead(content: Uint8Array): Head {
  // Its tag has been verified, so `encodeHead` wrote it.
  const head = JSON.parse(decodeUtf8(content)) as Pick<Head, "buckets" | "clockMs"> & Partial<Head>;
  // Earlier versions stored no more.
  return { beganAtMs: 0, beganIn: [], accepted: [], refused: [], followed: null, ...head };
}

function openDatabase(path: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Nobody else may open it, so SQLite needs no shared memory. Syncing is left to the checkpoints.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("PRAGMA synchronous = NORMAL");
    database.exec("PRAGMA wal_autocheckpoint = 0");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Loads Node's SQLite without the warning that it is experimental: the operator cannot act on it. */
function loadSqlite() {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    // Loading is synchronous, so no other warning is lost.
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

const SQLITE_BUSY = 5;
/** Result codes of SQLite about the machine: memory, rights, the disk. Others are about the content. */
const MACHINE = [3, 7, 8, 10, 13, 14];

function explain<Result>(path: string, run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof Error) || !("errcode" in cause)) throw cause;
    const code = Number(cause.errcode) & 0xff;
    if (code !== SQLITE_BUSY && !MACHINE.includes(code)) throw damaged(path, cause.message, cause);
    const hint =
      code === SQLITE_BUSY
        ? "another process has them open; stop it first"
        : `${cause.message}; check the disk, and the owner and mode of the file`;
    throw new SignerStateError(`the marks ${path} cannot be opened: ${hint}`, { cause });
  }
}

export function damaged(path: string, what: string, cause?: unknown): SignerStateError {
  return new LostMarksError(path, `damaged (${what})`, cause);
}

function notWritten(cause: unknown): ApiError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new ApiError(
    "UNAVAILABLE",
    "SIGNER_UNAVAILABLE",
    `the signer cannot write its marks (${detail}); it needs space on the disk of its state directory`,
    { cause },
  );
}
