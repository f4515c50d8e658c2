import { closeSync, openSync, readSync } from "node:fs";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import type { Keyring } from "@keyhearth/engine/vault/keyring";
import { deriveSecret } from "@keyhearth/engine/vault/secrets";
import { type Beginning, type ClockMemory, newClock } from "../clock/accepted-times.ts";
import { LostMarksError, SignerStateError } from "../state/state-error.ts";
import { hasFile } from "../state/state-files.ts";
import { encodeBucket, toBytes } from "./marks-buckets.ts";
import { readMarksLog } from "./marks-log.ts";
import {
  createMarksStore,
  damaged,
  type Followed,
  type FollowingStore,
  openMarksStore,
} from "./marks-store.ts";

/** What new marks remember of others. */
type NewMarks = { beginning?: Beginning; followed?: Followed | null };

export type MarksFileOptions = { keyring: Keyring; log: (event: CoreEvent) => void };

/** Starts without any mark. Replaces the file if there is one. */
export function createMarksFile(
  path: string,
  keyring: Keyring,
  { clock = newClock(0), ...rest }: { clock?: ClockMemory } & NewMarks = {},
) {
  createMarksStore(path, keyOf(keyring), { clock, ...rest, buckets: [] });
}

/** Opens the marks. A file in the form of earlier versions is verified and converted first. */
export function openMarksFile(path: string, { keyring, log }: MarksFileOptions): FollowingStore {
  if (!hasFile(path)) throw new LostMarksError(path, "missing");
  const key = keyOf(keyring);
  const onTorn = () => log({ event: "the last mark was cut short and is dropped", path });
  if (!isDatabase(path)) convert(path, key, onTorn);
  return openMarksStore(path, { key, onTorn });
}

function convert(path: string, key: SecretBytes, onTorn: () => void) {
  const log = readMarksLog(path);
  if (!log) throw damaged(path, "a record before the last one is broken");
  if (log.isTorn) onTorn();
  const buckets = new Map<number, Uint8Array>();
  for (const [organizationId, known] of log.marks) {
    const { id, bucket } = toBytes(organizationId);
    buckets.set(bucket, encodeBucket(buckets.get(bucket) ?? null, id, known));
  }
  createMarksStore(path, key, { clock: newClock(log.clockMs), buckets });
}

/** Marks of another keyring do not verify. */
export function keyOf({ derivationKey }: Keyring): SecretBytes {
  return deriveSecret(derivationKey, "keyhearth.marks.v1");
}

function isDatabase(path: string): boolean {
  const start = Buffer.alloc(16);
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    readSync(file, start);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new SignerStateError(
      `the marks ${path} cannot be read: ${detail}; check the owner and mode of the file`,
      { cause },
    );
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return start.toString("latin1") === "SQLite format 3\0";
}
