import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import { networkOf } from "@keyhearth/outbound/counted-addresses";
import type { Log } from "../observability/log.ts";
import type { Store } from "../store/connect.ts";
import { addToRequestCounts, type Spent } from "../store/request-counts.ts";
import { createRateLimit, type NamedAllowance, type RateLimit } from "./rate-limit.ts";

/** A limit that several processes apply together. */
export type SharedRateLimit = RateLimit & { stop(): Promise<void> };

export type Sharing = { store: Store; log: Pick<Log, "warn">; now?: () => number };

/** A process tells the others when it has spent this part of an allowance. */
export const SHARES = 16;

/** What is less than a share after so many refills without a request is forgotten. */
const QUIET_REFILLS = 10;

/** What was spent beyond the allowance must be earned again, but for no longer than so many refills. */
const MAX_REFILLS_OF_DEBT = 10;

/** A process sends one statement at a time for a limit, and pauses in between. */
export const PAUSE_MS = 100;
const PAUSE_AFTER_FAILURE_MS = 1000;
const KEYS_PER_STATEMENT = 1000;

/** What this process has spent of a key and not told. */
type Untold = { count: number; lastMs: number; dueMs: number | null };

/**
 * Requests are counted in memory, as by `createRateLimit`, and no request waits for the database. Beside
 * them, this process adds what it has spent to the row that all processes share, and takes over what is
 * left there. While the database does not answer, each process allows the full rate (decision 18).
 */
export function createSharedRateLimit(
  { name, perSecond, burst = perSecond, capacity = 50_000 }: NamedAllowance & { capacity?: number },
  { store, log, now = Date.now }: Sharing,
): SharedRateLimit {
  const local = createRateLimit({ perSecond, burst, capacity });
  const share = Math.max(1, burst / SHARES);
  const refillMs = (burst / perSecond) * 1000;
  const longestMs = (MAX_REFILLS_OF_DEBT + 1) * refillMs;
  const untold = new Map<string, Untold>();
  const due = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let telling: Promise<void> | undefined;
  let isStopped = false;
  let hasFailed = false;
  let mayTellAt = 0;

  function note(key: string, nowMs: number, count: number) {
    let one = untold.get(key);
    const isOld = one?.dueMs === null && nowMs - one.lastMs > QUIET_REFILLS * refillMs;
    if (!one || isOld) one = { count: 0, lastMs: nowMs, dueMs: null };
    one.count += count;
    one.lastMs = nowMs;
    // Deleting the key first moves it to the end, so the first key is the quietest.
    untold.delete(key);
    untold.set(key, one);
    if (untold.size > capacity) forgetQuietest();
    if (one.count < share || one.dueMs !== null) return;
    one.dueMs = nowMs;
    due.add(key);
    schedule();
  }

  function forgetQuietest() {
    for (const key of untold.keys()) {
      untold.delete(key);
      due.delete(key);
      return;
    }
  }

  function schedule() {
    if (isStopped || timer || telling) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        telling = tell().finally(() => {
          mayTellAt = performance.now() + (hasFailed ? PAUSE_AFTER_FAILURE_MS : PAUSE_MS);
          telling = undefined;
          if (due.size > 0) schedule();
        });
      },
      Math.max(0, mayTellAt - performance.now()),
    );
    timer.unref();
  }

  async function tell() {
    const told = takeDue();
    const at = now();
    try {
      const spent = [...told].map(([keyHash, { one }]) => spentOf(keyHash, one, at));
      const counts = await addToRequestCounts(store, { name, longestMs }, spent);
      for (const [keyHash, { key }] of told) takeOver(key, counts.get(keyHash));
      hasFailed = false;
    } catch (error) {
      for (const { key, one } of told.values()) keepForLater(key, one);
      if (!hasFailed) log.warn({ err: error }, "processes count requests alone for the moment");
      hasFailed = true;
    }
  }

  function takeDue() {
    const told = new Map<string, { key: string; one: Untold }>();
    for (const key of due) {
      if (told.size === KEYS_PER_STATEMENT) break;
      due.delete(key);
      const one = untold.get(key);
      untold.delete(key);
      if (one) told.set(hashOf(key), { key, one });
    }
    return told;
  }

  function spentOf(keyHash: string, { count, dueMs }: Untold, at: number): Spent {
    return {
      keyHash,
      spentMs: (count * 1000) / perSecond,
      ageMs: Math.max(0, at - (dueMs ?? at)),
    };
  }

  function takeOver(key: string, untilFullMs: number | undefined) {
    if (untilFullMs === undefined) return;
    const left = Math.min(burst, burst - (untilFullMs * perSecond) / 1000);
    // What was spent while the statement ran is in nobody's count but ours.
    local.setLeft(key, left - (untold.get(key)?.count ?? 0), now());
  }

  function keepForLater(key: string, one: Untold) {
    const since = untold.get(key);
    if (since) one.count += since.count;
    untold.set(key, one);
    if (untold.size > capacity) forgetQuietest();
    due.add(key);
  }

  return {
    take(address, nowMs, count = 1) {
      const headers = local.take(address, nowMs, count);
      note(networkOf(address), nowMs, count);
      return headers;
    },
    check: local.check,
    hasRoom: local.hasRoom,
    headers: local.headers,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await telling;
    },
  };
}

/** Rows are of one size, whatever clients send. */
function hashOf(key: string): string {
  return encodeHex(sha256(encodeUtf8(key)));
}
