import { ApiError } from "@keyhearth/engine/errors";
import { changedEntries } from "../marks/marks-buckets.ts";
import type { Followed, FollowingStore, MarksStore, Times } from "../marks/marks-store.ts";

/**
 * The marks of the signer that decides. What it writes is in memory until it is in etcd, and on the disk after that:
 * a signer that stops in between, or that another one has replaced, has no mark that the others lack. So no answer
 * may leave that was made after a write, until `settled`.
 */
export type SharedStore = MarksStore & {
  /** Settles with all that was written until now. Null if nothing waits. Rejects if it cannot be known to be kept. */
  settled(): Promise<void> | null;
};

/** Marks that were written together. */
export type Change = { entries: Uint8Array; times?: Times };

/** Puts a change behind the last one in etcd. Rejects if this signer no longer decides. */
export type Append = (change: Change) => Promise<Followed>;

/** What may wait for etcd. More is refused, and nothing of it is kept. */
const MAX_WAITING_BYTES = 512 * 1024;

type Waiting = {
  buckets: Map<number, Uint8Array>;
  entries: Map<string, Uint8Array>;
  bytes: number;
  times: Times | undefined;
  isLasting: boolean;
  done: PromiseWithResolvers<void>;
};

export function createSharedStore(
  local: FollowingStore,
  append: Append,
  onFailure: (error: unknown) => void,
): SharedStore {
  let times: Times = { clock: local.clock(), beginning: local.beginning() };
  let next: Waiting | null = null;
  let leaving: Waiting | null = null;
  let failure: unknown = null;

  const read = (bucket: number) =>
    next?.buckets.get(bucket) ?? leaving?.buckets.get(bucket) ?? local.read(bucket);

  function waiting(): Waiting {
    if (failure) throw lost(failure);
    if (next) return next;
    const done = Promise.withResolvers<void>();
    // Those who wait for it see the error. There may be nobody.
    done.promise.catch(() => {});
    next = {
      buckets: new Map(),
      entries: new Map(),
      bytes: 0,
      times: undefined,
      isLasting: false,
      done,
    };
    // What the same slice of work writes leaves together.
    setImmediate(() => void leave());
    return next;
  }

  async function leave() {
    while (next && !leaving && !failure) await leaveWith(next);
  }

  async function leaveWith(group: Waiting) {
    leaving = group;
    next = null;
    try {
      const entries = Buffer.concat([...group.entries.values()]);
      const followed = await append({ entries, ...(group.times && { times: group.times }) });
      local.follow(group.buckets, followed, group.times);
      if (group.isLasting) local.sync();
      leaving = null;
      group.done.resolve();
    } catch (error) {
      failure = error;
      for (const each of [group, next as Waiting | null]) each?.done.reject(lost(error));
      onFailure(error);
    }
  }

  function keepTimes(changed: Times) {
    const group = waiting();
    times = changed;
    group.times = times;
  }

  return {
    read,
    write(buckets) {
      const changed: [string, Uint8Array][] = [];
      for (const [bucket, content] of buckets) {
        for (const entry of changedEntries(read(bucket), content)) {
          changed.push([Buffer.from(entry.subarray(0, 16)).toString("latin1"), entry]);
        }
      }
      const bytes = changed.reduce((sum, [, { length }]) => sum + length, 0);
      const group = waiting();
      if (group.bytes + bytes > MAX_WAITING_BYTES) throw crowded();
      group.bytes += bytes;
      for (const [bucket, content] of buckets) group.buckets.set(bucket, content);
      for (const [id, entry] of changed) group.entries.set(id, entry);
    },
    sync() {
      const group = next ?? leaving;
      if (group) group.isLasting = true;
    },
    beginning: () => times.beginning,
    clock: () => times.clock,
    clockMs: () => times.clock.latestMs,
    rememberClock(instantMs, accepted = times.clock.accepted) {
      const latestMs = Math.max(times.clock.latestMs, instantMs);
      keepTimes({ ...times, clock: { ...times.clock, latestMs, accepted } });
    },
    replaceClock() {
      throw new Error("an operator replaces the clock of a signer that has stopped");
    },
    settled: () =>
      failure ? Promise.reject(lost(failure)) : ((next ?? leaving)?.done.promise ?? null),
    // The disk belongs to whoever opened it, and what waits may still leave.
    close() {},
  };
}

function lost(cause: unknown): ApiError {
  return new ApiError(
    "UNAVAILABLE",
    "SIGNER_UNAVAILABLE",
    "this signer could not share its marks with the others; try again in a moment",
    { cause },
  );
}

function crowded(): ApiError {
  return new ApiError(
    "UNAVAILABLE",
    "SIGNER_UNAVAILABLE",
    "too many changes wait for etcd; try again in a moment",
  );
}
