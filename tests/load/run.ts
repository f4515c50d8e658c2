import { machineSeconds, processorSeconds } from "../../bench/resources.ts";
import { startWorker } from "../../bench/worker.ts";
import { query } from "../start/post.ts";
import type { RootKey, Service } from "../start/process.ts";
import { sleep } from "./attack.ts";
import type { AttackTask, Counts } from "./attacker.ts";
import { type Bed, type Database, openBed } from "./bed.ts";
import { joined, type Measured } from "./latencies.ts";
import { type Memory, watchMemory } from "./memory.ts";
import { judge, line, type Outcome } from "./outcome.ts";
import type { Row } from "./rows.ts";
import { measureInSlices } from "./slices.ts";
import type { VictimTask } from "./victim.ts";
import { createVictim, createWorld } from "./world.ts";

export type Options = {
  database: Database;
  minutes: number;
  seed: number;
  /** Which rows attack at once. */
  groups: Row[][];
  /** Where CPU profiles of the service's threads go. */
  profile?: string;
  log: (line: string) => void;
};

const PROGRESS_SECONDS = 30;
const WARM_UP_SECONDS = 5;
const MOST_ALONE_SECONDS = 60;
/** Before the next attack. */
const SETTLE_SECONDS = 15;

/**
 * Measures another organization alone, while everybody attacks, and afterwards. With several groups of rows, one group
 * after the other attacks the same service.
 */
export async function runLoad({ database, groups, profile, ...options }: Options) {
  const { log } = options;
  const bed = await openBed(database, profile);
  const memory = watchMemory(bed.service);
  let stage: Stage | null = null;
  try {
    log("making what the attacks need");
    stage = await openStage(bed);
    await stage.measure(WARM_UP_SECONDS);
    const outcomes: Outcome[] = [];
    for (const rows of groups) {
      outcomes.push(await runGroup(bed, { ...stage, ...options, memory, rows }));
    }
    return outcomes;
  } finally {
    stage?.stop();
    memory.stop();
    await bed.stop();
    const errors = bed.service.stderr();
    if (errors) log(errors.slice(-4000));
  }
}

async function runGroup(bed: Bed, options: AttackOptions): Promise<Outcome> {
  const { measure, memory, minutes, log } = options;
  const aloneSeconds = Math.min(MOST_ALONE_SECONDS, minutes * 20);
  const before = await measure(aloneSeconds);
  log(`alone before: ${line(before)}, ${memory.show()}`);
  const attacked = await attack(bed, options);
  await sleep(SETTLE_SECONDS * 1000);
  // What the attack has left to do, such as deliveries, takes minutes, so nobody is alone yet.
  const after = await measure(aloneSeconds);
  log(`after: ${line(after)}, ${memory.show()}`);
  return judge({ alone: before, attacked, megabytes: memory.most() });
}

type Stage = Awaited<ReturnType<typeof openStage>>;

async function openStage({ service, root, webhookUrl }: Bed) {
  const world = await createWorld({ service, root, webhookUrl });
  const victim = await createVictim(service, root);
  await untilSealed(service, world.user);
  const url = new URL("victim.ts", import.meta.url).href;
  const client = startWorker<VictimTask, Measured>(url);
  const ask = (seconds: number) => client.ask({ url: service.url, ...victim, seconds });
  const measure = (seconds: number) => measureInSlices(seconds, ask);
  return { world, measure, stop: client.stop };
}

/** Receipts exist only of what is in a segment. */
async function untilSealed(service: Service, user: RootKey) {
  for (;;) {
    const { json } = await query(service, user, "get_receipts", { limit: "1" });
    if (Number(json.unsealed) === 0) return;
    await sleep(1000);
  }
}

type AttackOptions = Omit<Stage, "stop"> &
  Omit<Options, "database" | "groups" | "profile"> & { rows: Row[]; memory: Memory };

async function attack({ service }: Bed, options: AttackOptions): Promise<Measured> {
  const { rows, world, seed, minutes, measure, memory, log } = options;
  const attackers = rows.map(({ name }, index) => {
    const url = new URL("attacker.ts", import.meta.url).href;
    const worker = startWorker<AttackTask, Counts>(url);
    return { name, worker, pid: worker.pid, start: { row: name, seed: seed + index, world } };
  });
  try {
    await Promise.all(attackers.map(({ worker, start }) => worker.ask({ start })));
    const all: Measured[] = [];
    for (let left = minutes * 60; left > 0; left -= PROGRESS_SECONDS) {
      const seconds = Math.min(left, PROGRESS_SECONDS);
      const usage = watchProcessors([{ name: "service", pid: service.child.pid }, ...attackers]);
      const one = await measure(seconds);
      all.push(one);
      log(`attacked, ${Math.round(left - seconds)} s left: ${line(one)}, ${memory.show()}`);
      log(`  processor: ${usage()}`);
    }
    for (const { name, worker } of attackers) {
      log(`  ${name}: ${showCounts(await worker.ask({ counts: true }))}`);
    }
    return joined(all);
  } finally {
    for (const { worker } of attackers) worker.stop();
  }
}

/** How much of a core each has used since now, once it is called. */
function watchProcessors(processes: { name: string; pid: number | undefined }[]): () => string {
  const read = () => [
    ...processes.map(({ pid }) => processorSeconds(pid) ?? 0),
    machineSeconds(),
    performance.now() / 1000,
  ];
  const before = read();
  return () => {
    const used = read().map((each, i) => each - (before[i] ?? 0));
    const seconds = used.at(-1) ?? 0;
    const names = [...processes.map(({ name }) => name), "the whole machine"];
    const shares = names.map(
      (name, i) => `${name} ${Math.round(((used[i] ?? 0) / seconds) * 100)} %`,
    );
    return shares.join(", ");
  };
}

function showCounts(counts: Counts): string {
  const parts = Object.entries(counts).map(([outcome, count]) => `${count} × ${outcome}`);
  return parts.join(", ") || "nothing yet";
}
