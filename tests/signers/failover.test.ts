import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  createTarget,
  expectKept,
  expectRepeatable,
  type Load,
  startLoad,
  type Target,
  wasAnswered,
} from "../kill/load.ts";
import { newDataDirectory } from "../start/data-directory.ts";
import { type Process, readRootKey, startService, startSigner } from "../start/process.ts";
import { etcdMissing, findEtcd, startEtcd, type TestEtcd } from "./etcd.ts";

// Two signers as processes, three members of etcd, and a service under load, while a signer is killed or stopped:
// once in each way. `../failover/many-faults.test.ts` has hundreds of faults, on a whole installation.

if (findEtcd() === null) console.log(`skipped: ${etcdMissing}`);

/** A signer that is started again whenever it ends, as a supervisor does. */
type Supervised = {
  socket: string;
  running(): Process;
  /** The terms in which this signer decided. */
  terms: number[];
  stop(): Promise<void>;
};

describe.runIf(findEtcd() !== null)("signers that fail over", () => {
  test("nothing is lost or done twice, and clients see 503 at most", {
    timeout: 180_000,
  }, async () => {
    const temporary = mkdtempSync(join(tmpdir(), "keyhearth-failover-"));
    onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
    const etcd = await startEtcd(3);
    onTestFinished(() => etcd.stop());
    const states = [join(temporary, "a"), join(temporary, "b")] as const;
    // The second one begins as a copy of the first.
    await (await startSigner(states[0], [], { KEYHEARTH_MARKS: etcd.marks })).stop();
    cpSync(states[0], states[1], { recursive: true });
    const signers = [await supervise(states[0], "a", etcd), await supervise(states[1], "b", etcd)];
    onTestFinished(async () => {
      for (const each of signers) await each.stop();
    });

    const dataDirectory = await newDataDirectory("signer-failover");
    onTestFinished(() => rmSync(dataDirectory, { recursive: true }));
    const service = await startService({
      KEYHEARTH_DATA_DIR: dataDirectory,
      KEYHEARTH_SIGNER: signers.map(({ socket }) => `unix:${socket}`).join(","),
      KEYHEARTH_LOG_LEVEL: "fatal",
    });
    onTestFinished(async () => void (await service.stop()));
    const root = readRootKey(dataDirectory);
    // A signer that dies at the same organization's call again and again gets none of it for a while.
    const loads: { load: Load; target: Target }[] = [];
    for (let i = 0; i < 3; i++) {
      const target = await createTarget(service, root);
      loads.push({ target, load: startLoad(service, target) });
    }
    const sent = () => loads.flatMap(({ load }) => load.sent);
    await expect.poll(() => sent().filter(wasAnswered).length).toBeGreaterThan(20);

    const gaps: { what: string; ms: number }[] = [];
    for (const [what, begin] of Object.entries(faults)) {
      const active = signers.find(({ terms }) => terms.at(-1) === newestTerm(signers));
      if (!active) throw new Error("nobody decides");
      const before = loads.map(({ load }) => load.sent.length);
      const from = performance.now();
      const undo = await begin(active);
      // A request that was sent after the fault, and answered.
      const goesOn = () =>
        loads.some(({ load }, at) => load.sent.slice(Number(before[at]) + 5).some(wasAnswered));
      await expect.poll(goesOn, { timeout: 30_000, interval: 20 }).toBe(true);
      gaps.push({ what, ms: performance.now() - from });
      await undo();
      await wait(500);
    }
    await Promise.all(loads.map(({ load }) => load.stop()));
    // Each term was that of one signer.
    const terms = signers.flatMap((each) => each.terms);
    expect(new Set(terms).size).toBe(terms.length);
    expect(terms.length).toBeGreaterThan(1);
    for (const { answer } of sent()) {
      if (answer) expect([200, 503]).toContain(answer.status);
    }
    console.log(`gaps: ${gaps.map(({ what, ms }) => `${what} ${Math.round(ms)}`).join(", ")} ms`);
    for (const { load, target } of loads) {
      await expectKept(service, target.key, load.sent);
      // An organization at whose calls signers ended twice waits for some seconds.
      await vi.waitFor(() => expectRepeatable(service, target.key, load.sent), {
        timeout: 60_000,
        interval: 1000,
      });
    }
  });
});

function newestTerm(signers: readonly Supervised[]): number {
  return Math.max(...signers.flatMap(({ terms }) => terms));
}

type Fault = (active: Supervised) => Promise<() => Promise<void>>;

const faults = {
  async kill(active) {
    await active.running().kill();
    return async () => {};
  },
  /** Long enough for the other one to take over. */
  async pause(active) {
    const { child } = active.running();
    child.kill("SIGSTOP");
    return async () => {
      await wait(2000);
      child.kill("SIGCONT");
    };
  },
  async end(active) {
    await active.running().stop();
    return async () => {};
  },
} satisfies Record<string, Fault>;

async function supervise(state: string, name: string, etcd: TestEtcd): Promise<Supervised> {
  const terms: number[] = [];
  const environment = {
    KEYHEARTH_MARKS: etcd.marks,
    KEYHEARTH_SIGNER_NAME: name,
    // The worst case for marks: what decides is not what knows them.
    KEYHEARTH_SIGNER_WORKERS: "2",
  };
  let isStopped = false;
  const start = async () => {
    const started = await startSigner(state, [], environment);
    started.child.stderr?.on("data", (chunk: Buffer) => {
      for (const [, term] of chunk.toString().matchAll(/"event":"active"[^\n]*"term":(\d+)/g)) {
        terms.push(Number(term));
      }
    });
    void started.ended.then(async () => {
      if (isStopped) return;
      await wait(100);
      running = await start();
    });
    return started;
  };
  let running = await start();
  const { socket } = running;
  return {
    socket,
    running: () => running,
    terms,
    async stop() {
      isStopped = true;
      running.child.kill("SIGCONT");
      await running.kill();
    },
  };
}
