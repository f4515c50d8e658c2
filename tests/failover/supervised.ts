import { setTimeout as sleep } from "node:timers/promises";
import type { Process } from "../start/process.ts";

/** A program that is started again whenever it ends, or does not start, as a supervisor does. */
export type Supervised<Started extends Process> = {
  /** The process that runs, or ran last. */
  running(): Started;
  /** Whether it was started again since it ended last. */
  isUp(): boolean;
  /** What all of its processes have written. */
  log(): string;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
};

const RESTART_MS = 100;
/** A program that has never run by then does not work. */
const FIRST_MS = 150_000;

export async function supervise<Started extends Process>(
  start: () => Promise<Started>,
): Promise<Supervised<Started>> {
  let isStopped = false;
  let isUp = false;
  let written = "";
  const giveUpAt = performance.now() + FIRST_MS;
  let known: Started | null = null;

  /** It may need something that is away. What it said is in the error. */
  async function begin(): Promise<Started> {
    for (;;) {
      try {
        const started = await start();
        isUp = true;
        void started.ended.then(() => void again(started));
        return started;
      } catch (error) {
        written += String(error);
        if (isStopped || (known === null && performance.now() > giveUpAt)) throw error;
        await sleep(RESTART_MS);
      }
    }
  }

  async function again(ended: Started) {
    isUp = false;
    written += saidBy(ended);
    await sleep(RESTART_MS);
    if (isStopped) return;
    try {
      known = await begin();
    } catch {
      // It was stopped before it ran again.
      return;
    }
    if (isStopped) await known.kill();
  }

  known = await begin();
  // It was started before this is asked.
  const running = () => known as Started;

  return {
    running,
    isUp: () => isUp,
    log: () => written + (isUp ? saidBy(running()) : ""),
    signal: (name) => void running().child.kill(name),
    async stop() {
      isStopped = true;
      running().child.kill("SIGCONT");
      await running().kill();
    },
  };
}

function saidBy(process: Process): string {
  return process.stdout() + process.stderr();
}
