import { inSpan, type Span, traced } from "../observability/spans.ts";
import type { CommitUnit } from "./commit-unit.ts";
import { isConflict } from "./conflict.ts";
import type { Store } from "./connect.ts";
import { insertGroup, isGroupable, replacedBy } from "./statements/insert-group.ts";
import { replace } from "./statements/replace.ts";

export type Committer = {
  /** True once the unit is durable; false if it lost a race and must be decided again. */
  commit(unit: CommitUnit): Promise<boolean>;
};

export type CommitObserver = (group: { size: number; seconds: number }) => void;

const MAX_GROUP = 64;

/** While one group is under way, this many units must wait before another connection takes them. */
const WORTH_A_CONNECTION = 24;

/**
 * Group commit (decision 1). Units that change no document wait until a connection is free and then share one
 * statement. There is no timer, so a lone request never waits. A few units wait for the group under way,
 * because a larger group costs less; many take another connection. Units that change a document or an
 * activity run alone. All compare the versions of what they replace.
 *
 * The signer answers several calls at once, so a group starts when everything that has arrived was read:
 * otherwise the first of the answers would be a group by itself, and the others would wait for it.
 */
export function createCommitter(store: Store, observe: CommitObserver = () => {}): Committer {
  const lanes = store.kind === "pglite" ? 1 : 3;
  const queue: Waiting[] = [];
  let busy = 0;
  let isDue = false;

  function flushSoon() {
    if (isDue) return;
    isDue = true;
    setImmediate(flush);
  }

  function flush() {
    isDue = false;
    while (busy < lanes && queue.length > (busy === 0 ? 0 : WORTH_A_CONNECTION)) {
      const group = takeGroup(queue);
      busy += 1;
      // The statement of all is in the trace of the first that is traced.
      const span = group.find((each) => each.span)?.span;
      void inSpan(span, () => runGroup(store, group, observe)).finally(() => {
        busy -= 1;
        flushSoon();
      });
    }
  }

  return {
    commit(unit) {
      return traced("commit", async (span) => {
        span?.set({ "keyhearth.activity.type": unit.activity.type });
        span?.set({ "keyhearth.activity.id": unit.activity.activityId });
        if (!isGroupable(unit)) return runAlone(store, unit, observe);
        return new Promise((resolve, reject) => {
          queue.push({ unit, resolve, reject, span });
          flushSoon();
        });
      });
    },
  };
}

/** The next units of the queue. Of those that replace the same record, the first one wins. */
function takeGroup(queue: Waiting[]): Waiting[] {
  const replaced = new Set<string>();
  const group: Waiting[] = [];
  for (const waiting of queue.splice(0, MAX_GROUP)) {
    const records = replacedBy(waiting.unit);
    if (records.some((record) => replaced.has(record))) {
      waiting.resolve(false);
      continue;
    }
    for (const record of records) replaced.add(record);
    group.push(waiting);
  }
  return group;
}

type Waiting = {
  unit: CommitUnit;
  resolve: (ok: boolean) => void;
  reject: (e: unknown) => void;
  span: Span | undefined;
};

async function runGroup(store: Store, group: Waiting[], observe: CommitObserver) {
  const startedAt = performance.now();
  try {
    const units = group.map(({ unit }) => unit);
    const committed = await insertGroup(store, units);
    for (const { span } of group) span?.set({ "keyhearth.commit.size": group.length });
    for (const { unit, resolve } of group) resolve(committed.has(unit.activity.activityId));
  } catch (error) {
    if (group.length === 1) {
      const [only] = group;
      if (isConflict(error)) only?.resolve(false);
      else only?.reject(error);
    } else {
      // A conflict of one unit fails the statement for all, so each then tries alone.
      for (const each of group) await runGroup(store, [each], observe);
    }
  } finally {
    observe({ size: group.length, seconds: (performance.now() - startedAt) / 1000 });
  }
}

async function runAlone(store: Store, unit: CommitUnit, observe: CommitObserver): Promise<boolean> {
  const startedAt = performance.now();
  try {
    await replace(store, unit);
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  } finally {
    observe({ size: 1, seconds: (performance.now() - startedAt) / 1000 });
  }
}
