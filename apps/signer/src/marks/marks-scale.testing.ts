import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { decodeKeyring } from "@keyhearth/engine/vault/keyring";
import { newClock } from "../clock/accepted-times.ts";
import { createMarks } from "./marks.ts";
import { encodeBucket } from "./marks-buckets.ts";
import { keyOf, openMarksFile } from "./marks-file.ts";
import { BUCKETS, createMarksStore } from "./marks-store.ts";

// Run as a process of its own, so that its memory is that of the marks alone:
//   node marks-scale.testing.ts create|measure PATH ORGANIZATIONS KEYRING

const [what, path = "", count = "", keyringText = ""] = process.argv.slice(2);
const keyring = decodeKeyring(keyringText);
const inBucket = Math.ceil(Number(count) / BUCKETS);
const digest = "ab".repeat(32);

if (what === "create") {
  createMarksStore(path, keyOf(keyring), {
    clock: newClock(1),
    buckets: buckets(),
  });
} else {
  const baseMb = rssMb();
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const store = openMarksFile(path, { keyring, log: () => {} });
  const startMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  const startCpuMs = (user + system) / 1000;
  const marks = createMarks(store);
  const asked = Math.min(Number(count), 200_000);
  const askUs = each(asked, () => {
    const document = { organizationId: anyId(), version: 3, digest, previousDigest: digest };
    if (!marks.isConfirmed(document)) throw new Error("a mark is missing");
  });
  const moved = Math.min(Number(count), 20_000);
  const moveUs = each(moved, () => {
    const organizationId = `${anyId().slice(0, -1)}f`;
    marks.move([{ organizationId, version: 1, digest, previousDigest: null }]);
  });
  const checkpointMs = each(1, () => store.rememberClock(2)) / 1000;
  store.close();
  const peakMb = readPeakMb();
  const measured = { startMs, startCpuMs, askUs, moveUs, checkpointMs, baseMb, peakMb };
  process.stdout.write(JSON.stringify(measured));
}

function* buckets(): Generator<[number, Uint8Array]> {
  const head = { number: 3, digest };
  const entry = encodeBucket(null, new Uint8Array(16), { document: head, segment: head });
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const content = new Uint8Array(inBucket * entry.length);
    for (let index = 0; index < inBucket; index++) {
      content.set(entry, index * entry.length);
      content.set(idBytes(bucket, index), index * entry.length);
    }
    yield [bucket, content];
  }
}

function idBytes(bucket: number, index: number): Uint8Array {
  const id = new Uint8Array(16);
  const view = new DataView(id.buffer);
  view.setUint16(0, bucket);
  view.setUint32(2, index);
  return id;
}

function anyId(): string {
  const hex = encodeHex(idBytes(randomInt(BUCKETS), randomInt(inBucket)));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Microseconds for each. */
function each(times: number, work: () => void): number {
  const startedAt = performance.now();
  for (let index = 0; index < times; index++) work();
  return ((performance.now() - startedAt) / times) * 1000;
}

/** The most memory that this process had. The usage that Node.js reports includes the parent's. */
function readPeakMb(): number {
  if (process.platform !== "linux") return rssMb();
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

function rssMb(): number {
  return process.memoryUsage().rss / 1024 / 1024;
}
