import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { hmacSha256, randomBytes } from "@keyhearth/crypto/primitives";
import { secretBytes } from "@keyhearth/crypto/secret-bytes";
import { ApiError } from "@keyhearth/engine/errors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newClock } from "../clock/accepted-times.ts";
import { LostMarksError, SignerStateError } from "../state/state-error.ts";
import { createMarksStore, type MarksStore, openMarksStore } from "./marks-store.ts";

const key = secretBytes(randomBytes(32));
const HEAD = 65_536;
const PAGE_BYTES = 4096;
const MEBIBYTE = 1024 * 1024;

let directory: string;
let path: string;
let log: string;
let torn: number;
let opened: MarksStore[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keyhearth-store-"));
  path = join(directory, "marks");
  log = `${path}-wal`;
  torn = 0;
  opened = [];
});

afterEach(() => {
  for (const store of opened) store.close();
  rmSync(directory, { recursive: true });
});

function create(buckets: Iterable<readonly [number, Uint8Array]> = [], clockMs = 0) {
  createMarksStore(path, key, { clock: newClock(clockMs), buckets });
}

function open(at = path): MarksStore {
  const onTorn = () => {
    torn += 1;
  };
  const store = openMarksStore(at, { key, onTorn });
  opened.push(store);
  return store;
}

function close() {
  opened.pop()?.close();
}

const bytes = (text: string) => encodeUtf8(text);

function read(store: MarksStore, bucket: number): string | null {
  const content = store.read(bucket);
  return content && new TextDecoder().decode(content);
}

/** Changes the closed database without the signer. */
function change(work: (database: DatabaseSync) => void, at = path) {
  const database = new DatabaseSync(at);
  work(database);
  database.close();
}

const damaged = (what: string) => new LostMarksError(path, `damaged (${what})`);

/** The sizes of the database and of its log. */
const sizes = () => ({ database: statSync(path).size, log: statSync(log).size });

test("a store has the buckets and the clock that it was created with", () => {
  create([[7, bytes("seven")]], 1000);
  for (let i = 0; i < 2; i++) {
    const store = open();
    expect(read(store, 7)).toBe("seven");
    expect(read(store, 8)).toBeNull();
    expect(store.clockMs()).toBe(1000);
    close();
  }
  expect(torn).toBe(0);
});

test("a new store replaces the one before and everything that an unfinished one left", () => {
  create([[1, bytes("old")]], 5);
  open().write(new Map([[1, bytes("older")]]));
  const oldLog = readFileSync(log);
  close();
  writeFileSync(`${path}.new`, "left");
  // SQLite would take a log beside the new store for its own.
  for (const left of [`${path}.new-wal`, log]) writeFileSync(left, oldLog);
  create([[2, bytes("new")]]);
  expect(readdirSync(directory)).toEqual(["marks"]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const store = open();
  expect(read(store, 1)).toBeNull();
  expect(read(store, 2)).toBe("new");
  expect(store.clockMs()).toBe(0);
});

test("a row is its number, the content, and a tag with the signer's key over both", () => {
  create([[0x1234, bytes("content")]], 1000);
  change((database) => {
    const rows = database.prepare("SELECT number, content FROM buckets ORDER BY number").all();
    const row = (number: number, content: string) => {
      const tagged = new Uint8Array(4 + content.length);
      new DataView(tagged.buffer).setUint32(0, number);
      tagged.set(bytes(content), 4);
      return { number, content: Uint8Array.from([...tagged, ...hmacSha256(key, tagged)]) };
    };
    const head = row(
      HEAD,
      '{"buckets":1,"beganAtMs":0,"beganIn":[],"clockMs":1000,"accepted":[],"refused":[],"followed":null}',
    );
    expect(rows.map((each) => ({ ...each }))).toEqual([row(0x1234, "content"), head]);
  });
});

test("buckets are written all or none, and what is read is what was written last", () => {
  create();
  const store = open();
  store.write(
    new Map([
      [1, bytes("one")],
      [65_535, bytes("last")],
    ]),
  );
  store.write(
    new Map([
      [1, bytes("one again")],
      [2, bytes("")],
    ]),
  );
  // SQLite refuses the second bucket of these, after it took the first.
  const broken = () =>
    store.write(
      new Map([
        [1, bytes("half")],
        [2.5, bytes("no number")],
      ]),
    );
  const refusal = new ApiError(
    "UNAVAILABLE",
    "SIGNER_UNAVAILABLE",
    "the signer cannot write its marks (datatype mismatch); it needs space on the disk of its state directory",
  );
  expect(broken).toThrow(refusal);
  expect(broken).toThrow(
    expect.objectContaining({ cause: expect.objectContaining({ errcode: 20 }) }),
  );
  const expected = [
    [1, "one again"],
    [2, ""],
    [2.5, null],
    [3, null],
    [65_535, "last"],
  ] as const;
  for (const [bucket, content] of expected) expect(read(store, bucket)).toBe(content);
  store.write(new Map([[3, bytes("three")]]));
  close();
  const again = open();
  for (const [bucket, content] of expected) {
    expect(read(again, bucket)).toBe(bucket === 3 ? "three" : content);
  }
});

test("the clock is kept with a sync, and never goes back", () => {
  create();
  const store = open();
  store.write(new Map([[1, bytes("one")]]));
  expect(sizes().log).toBeGreaterThan(0);
  store.rememberClock(2000);
  expect(sizes().log).toBe(0);
  store.rememberClock(1000);
  expect(store.clockMs()).toBe(2000);
  close();
  expect(existsSync(log)).toBe(false);
  const again = open();
  expect(again.clockMs()).toBe(2000);
  expect(read(again, 1)).toBe("one");
});

test("what was written is on the disk after a sync", () => {
  create();
  const store = open();
  store.write(new Map([[1, bytes("one")]]));
  expect(sizes().log).toBeGreaterThan(0);
  store.sync();
  expect(sizes().log).toBe(0);
});

describe("the log", () => {
  test("that a killed process left is written back when the store is opened", () => {
    create();
    open().write(new Map([[1, bytes("one")]]));
    const copies = [path, log].map((file) => [file, readFileSync(file)] as const);
    close();
    for (const [file, content] of copies) writeFileSync(file, content);
    expect(sizes().log).toBeGreaterThan(0);
    const store = open();
    // A log that went on would have its checks begin again in its middle.
    expect(sizes().log).toBe(0);
    expect(read(store, 1)).toBe("one");
    expect(torn).toBe(0);
  });

  test("is written back by the first change after it holds more than 4 MB, and not before", () => {
    create();
    const store = open();
    // With the 8 KB for a transaction's other pages this is the limit, and then one byte more.
    for (const [extra, isWrittenBack] of [
      [0, false],
      [1, true],
    ] as const) {
      store.rememberClock(1);
      const before = sizes();
      store.write(new Map([[1, new Uint8Array(4 * MEBIBYTE - 8192 + extra)]]));
      expect(sizes().log).toBeGreaterThan(4 * MEBIBYTE);
      expect(sizes().database).toBe(before.database);
      store.write(new Map([[2, bytes("two")]]));
      expect(sizes().log < 10 * PAGE_BYTES).toBe(isWrittenBack);
      store.write(new Map([[1, bytes("small again")]]));
    }
  });

  test("counts every change since it was last written back", () => {
    create();
    const store = open();
    const buckets = (first: number) =>
      new Map([
        [first, new Uint8Array(MEBIBYTE)],
        [first + 1, new Uint8Array(MEBIBYTE)],
      ]);
    for (const first of [1, 3]) store.write(buckets(first));
    const { log: full } = sizes();
    expect(full).toBeGreaterThan(4 * MEBIBYTE);
    store.write(new Map([[5, bytes("five")]]));
    expect(sizes().log).toBeLessThan(full);
    // From the start again.
    store.write(new Map([[6, bytes("six")]]));
    expect(sizes().log).toBeGreaterThan(2 * PAGE_BYTES);
  });

  test("begins again after a change that failed", () => {
    create();
    const store = open();
    store.write(new Map([[1, new Uint8Array(MEBIBYTE)]]));
    expect(() => store.write(new Map([[0.5, bytes("no number")]]))).toThrow(ApiError);
    store.write(new Map([[2, bytes("two")]]));
    expect(sizes().log).toBeLessThan(MEBIBYTE);
    const { log: small } = sizes();
    store.write(new Map([[3, bytes("three")]]));
    expect(sizes().log).toBeGreaterThan(small);
  });

  test("that is broken before its end stops the start, and one without its end does not", () => {
    create();
    const store = open();
    for (const bucket of [1, 2, 3]) store.write(new Map([[bucket, bytes("some")]]));
    const copies = [path, log].map((file) => [file, readFileSync(file)] as const);
    const whole = copies[1]?.[1] ?? Buffer.alloc(0);
    close();
    const leave = (content: Uint8Array) => {
      for (const [file, before] of copies) writeFileSync(file, before);
      writeFileSync(log, content);
    };
    const broken = Buffer.from(whole);
    broken[60] = (broken[60] ?? 0) ^ 1;
    leave(broken);
    expect(() => open()).toThrow(damaged(`its log ${log} is broken before its end`));
    expect(torn).toBe(0);
    leave(whole.subarray(0, -1));
    const left = open();
    expect(torn).toBe(1);
    expect([1, 2, 3].map((bucket) => read(left, bucket))).toEqual(["some", "some", null]);
  });
});

describe("a store is not opened", () => {
  const contents: [number, Uint8Array][] = [
    [1, bytes("one")],
    [2, bytes("two")],
  ];

  beforeEach(() => create(contents, 1000));

  /** And after it was put right, it opens: nothing of it was held. */
  function refused(expected: Error, work: (database: DatabaseSync) => void) {
    const whole = readFileSync(path);
    change(work);
    expect(() => open()).toThrow(expected);
    rmSync(log, { force: true });
    writeFileSync(path, whole);
    expect(read(open(), 1)).toBe("one");
    close();
  }

  test("without one of its buckets, or its head", () => {
    refused(damaged("1 of 2 buckets are there"), (database) => {
      database.exec("DELETE FROM buckets WHERE number = 2");
    });
    refused(damaged("bucket 65536 is missing"), (database) => {
      database.exec("DELETE FROM buckets WHERE number = 65536");
    });
  });

  test("with a bucket more", () => {
    refused(damaged("3 of 2 buckets are there"), (database) => {
      const tagged = Uint8Array.of(0, 0, 0, 3);
      const content = Uint8Array.from([...tagged, ...hmacSha256(key, tagged)]);
      database.prepare("INSERT INTO buckets VALUES (3, ?)").run(content);
    });
  });

  test("with a bucket in the place of another, or changed in any byte", () => {
    refused(damaged("bucket 2 does not carry this signer's tag"), (database) => {
      database.exec(
        "UPDATE buckets SET content = (SELECT content FROM buckets WHERE number = 1) WHERE number = 2",
      );
    });
    const length = 4 + 3 + 32;
    for (const at of [0, 3, 4, 6, 7, length - 1]) {
      refused(damaged("bucket 1 does not carry this signer's tag"), (database) => {
        const row = database.prepare("SELECT content FROM buckets WHERE number = 1").get();
        const content = row?.content as Uint8Array;
        expect(content.length).toBe(length);
        content[at] = (content[at] ?? 0) ^ 1;
        database.prepare("UPDATE buckets SET content = ? WHERE number = 1").run(content);
      });
    }
    refused(damaged("bucket 1 does not carry this signer's tag"), (database) => {
      database.exec("UPDATE buckets SET content = x'00000001' WHERE number = 1");
    });
  });

  test("with the key of another signer", () => {
    const others = { key: secretBytes(randomBytes(32)), onTorn: () => {} };
    expect(() => openMarksStore(path, others)).toThrow(
      damaged("bucket 65536 does not carry this signer's tag"),
    );
  });

  test("if it does not say that it has a log, which would then be left out", () => {
    refused(damaged("it does not say that it has a log"), (database) => {
      database.exec("PRAGMA journal_mode = DELETE");
    });
  });

  test("if its pages do not fit together", () => {
    const whole = readFileSync(path);
    const bytesOfFile = Buffer.from(whole);
    // A page that nothing uses, although the list of unused pages is empty.
    bytesOfFile.writeUInt32BE(1, 36);
    writeFileSync(path, bytesOfFile);
    expect(() => open()).toThrow(damaged("its pages do not fit together"));
    writeFileSync(path, whole);
    expect(read(open(), 1)).toBe("one");
  });

  test("if it is no database", () => {
    writeFileSync(path, randomBytes(8192));
    const refusal = damaged("file is not a database");
    expect(() => open()).toThrow(refusal);
    expect(() => open()).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ errcode: 26 }) }),
    );
  });

  test("while another process has it open", () => {
    const store = open();
    for (let i = 0; i < 2; i++) {
      const refusal = new SignerStateError(
        `the marks ${path} cannot be opened: another process has them open; stop it first`,
      );
      expect(() => open()).toThrow(refusal);
      expect(() => open()).not.toThrow(LostMarksError);
    }
    store.write(new Map([[1, bytes("one again")]]));
    // It keeps no shared memory beside it, which a second process would need.
    expect(readdirSync(directory).sort()).toEqual(["marks", "marks-wal"]);
    close();
    expect(read(open(), 1)).toBe("one again");
  });

  test("if the machine does not let it, which is no damage", () => {
    const place = join(directory, "place");
    mkdirSync(place);
    const refusal = `the marks ${place} cannot be opened: unable to open database file; check the disk, and the owner and mode of the file`;
    expect(() => open(place)).toThrow(new SignerStateError(refusal));
    expect(() => open(place)).not.toThrow(LostMarksError);
    expect(() => open(place)).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ errcode: 14 }) }),
    );
  });

  test.runIf(process.platform === "linux")("and none of its files stays open", () => {
    const held = () =>
      readdirSync("/proc/self/fd").filter((file) => {
        try {
          return readlinkSync(`/proc/self/fd/${file}`).startsWith(directory);
        } catch {
          // The one of this very list.
          return false;
        }
      });
    writeFileSync(path, randomBytes(8192));
    expect(() => open()).toThrow(SignerStateError);
    expect(held()).toEqual([]);
    create(contents);
    expect(held()).toEqual([]);
    open();
    expect(held()).toHaveLength(2);
    expect(() => open()).toThrow("another process");
    close();
    expect(held()).toEqual([]);
  });
});

test("loading SQLite leaves the process's warnings as they are", () => {
  const { emitWarning } = process;
  create();
  open();
  expect(process.emitWarning).toBe(emitWarning);
});

/** A file system of one megabyte. Only root may make one, and not in every container. */
function mountSmall(at: string): boolean {
  mkdirSync(at);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", at], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test("a full disk refuses the change, and the next one is taken once there is space", ({
  skip,
}) => {
  const disk = join(directory, "disk");
  if (!mountSmall(disk)) return skip();
  try {
    path = join(disk, "marks");
    log = `${path}-wal`;
    create();
    const store = open();
    store.write(new Map([[1, bytes("before")]]));
    store.rememberClock(500);
    const filler = join(disk, "filler");
    const fill = () => {
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(filler, new Uint8Array(bavail * bsize), { flag: "a" });
    };
    const write = (text: string) => store.write(new Map([[1, bytes(text.padEnd(100_000))]]));
    const refusal = /^the signer cannot write its marks \(.+\); it needs space on the disk of/;
    fill();
    expect(() => store.rememberClock(1000)).toThrow(refusal);
    expect(store.clockMs()).toBe(500);
    for (let i = 0; i < 3; i++) {
      fill();
      expect(() => write("full")).toThrow(refusal);
    }
    expect(read(store, 1)).toBe("before");
    rmSync(filler);
    write("after");
    store.rememberClock(2000);
    close();
    const again = open();
    expect(read(again, 1)?.trim()).toBe("after");
    expect(again.clockMs()).toBe(2000);
    close();
  } finally {
    for (const store of opened.splice(0)) store.close();
    execFileSync("umount", ["-l", disk], { stdio: "ignore" });
  }
});
