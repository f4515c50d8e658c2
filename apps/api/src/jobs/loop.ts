/** What follows a round: a pause until the next one is due, a rest that leaves room to others, or another round at once. */
export type Next = "idle" | "rest" | "again";

export type Job = {
  /** Between rounds while there is nothing more to do. */
  everyMs: number;
  /** Before the first round. 0 if it comes at once. */
  firstMs: number;
  /** After a wake, for more of them, so that one round serves them all. */
  gatherMs?: number;
  maxRestMs?: number;
  round(): Promise<Next>;
  /** Logs why rounds fail: for the first one, and once a minute while they go on failing. */
  logFailure(error: unknown): void;
};

export type Loop = {
  /** There may be something to do. During a round, asks for another one. */
  wake(): void;
  /** Waits for the current round. */
  stop(): Promise<void>;
};

/** A job rests three times as long as it works, so that others get the database and the signer. */
const RESTS_PER_ROUND = 3;

/** Rounds that fail come less often, so that they do not hold up a database that recovers. */
const MAX_BACK_OFF_MS = 5000;

const LOG_AGAIN_MS = 60_000;

/** Does a job's rounds, one after another, until it is stopped. */
export function startLoop(job: Job): Loop {
  const { everyMs, firstMs, gatherMs = 0, maxRestMs = Number.POSITIVE_INFINITY } = job;
  let isStopped = false;
  let isWoken = false;
  let endPause = () => {};
  let endIdle = () => {};

  function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      timer.unref();
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** A pause that a wake ends. */
  async function idle(milliseconds: number) {
    if (!isWoken) {
      const ended = pause(milliseconds);
      endIdle = endPause;
      await ended;
      endIdle = () => {};
    }
    if (isWoken && gatherMs > 0 && !isStopped) await pause(gatherMs);
  }

  async function run() {
    const failures = createFailures(job);
    if (firstMs > 0) await idle(firstMs);
    while (!isStopped) {
      isWoken = false;
      const startedAt = performance.now();
      let next: Next = "idle";
      try {
        next = await job.round();
        failures.end();
      } catch (error) {
        failures.note(error);
      }
      const workMs = performance.now() - startedAt;
      if (isStopped) return;
      if (next === "idle") await idle(failures.backOffMs(everyMs));
      if (next === "rest") await pause(Math.min(RESTS_PER_ROUND * workMs, maxRestMs));
    }
  }

  const running = run();
  return {
    wake() {
      isWoken = true;
      endIdle();
    },
    async stop() {
      isStopped = true;
      endPause();
      await running;
    },
  };
}

/** Counts the rounds that failed in a row, and has them logged once a minute. */
function createFailures({ logFailure }: Pick<Job, "logFailure">) {
  let count = 0;
  let loggedAt = 0;
  return {
    note(error: unknown) {
      count += 1;
      const nowMs = performance.now();
      if (count > 1 && nowMs - loggedAt < LOG_AGAIN_MS) return;
      loggedAt = nowMs;
      logFailure(error);
    },
    end() {
      count = 0;
    },
    /** Twice as long after each failure but the first. */
    backOffMs(everyMs: number): number {
      const doubled = everyMs * 2 ** Math.min(Math.max(0, count - 1), 20);
      return Math.max(everyMs, Math.min(doubled, MAX_BACK_OFF_MS));
    },
  };
}
