import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTarget, expectKept, expectRepeatable, startLoad } from "../kill/load.ts";
import { createDatabase, findPostgres, type Postgres, startPostgres } from "../postgres/start.ts";
import { signing, submit } from "./post.ts";
import {
  type Environment,
  fetchMailbox,
  type Process,
  type RootKey,
  readRootKey,
  runMain,
  type Service,
  startService,
  startSigner,
} from "./process.ts";

const WORKERS = 2;

/** Each on a connection of its own, so that they go to all workers. */
async function getEach(url: string, count: number): Promise<number[]> {
  const all = Array.from({ length: count }, async () => {
    const answer = await fetch(url, { headers: { Connection: "close" } });
    await answer.arrayBuffer();
    return answer.status;
  });
  return Promise.all(all);
}

function childrenOf(pid: number | undefined): number[] {
  try {
    const output = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
    return output.trim().split(/\s+/).map(Number);
  } catch {
    // `ps` fails if there is none.
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.runIf(findPostgres())("several workers at one port", () => {
  const temporary = mkdtempSync(join(tmpdir(), "keyhearth-workers-"));
  let postgres: Postgres;
  let signer: Process & { socket: string };
  let settings: Environment;
  let service: Service;
  let root: RootKey;

  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false });
    signer = await startSigner(join(temporary, "signer"));
    settings = {
      KEYHEARTH_DATA_DIR: join(temporary, "data"),
      DATABASE_URL: await createDatabase(postgres.url, "workers"),
      KEYHEARTH_SIGNER: `unix:${signer.socket}`,
      KEYHEARTH_API_WORKERS: String(WORKERS),
      KEYHEARTH_LOG_LEVEL: "info",
    };
    service = await startService(settings);
    root = readRootKey(join(temporary, "data"));
  });

  afterAll(async () => {
    await service?.stop();
    await signer?.stop();
    await postgres?.stop();
    rmSync(temporary, { recursive: true, force: true });
  });

  test("are ready together, and say so once", () => {
    expect(childrenOf(service.child.pid)).toHaveLength(WORKERS);
    expect(service.stdout().match(/Keyhearth is ready/g)).toHaveLength(1);
    expect(service.stderr()).toBe("");
  });

  test("show in metrics what all of them have counted", async () => {
    const count = 40;
    expect(new Set(await getEach(`${service.url}/healthz`, count))).toEqual(new Set([200]));
    const text = await (await fetch(`${service.url}/metrics`)).text();
    expect(text).toContain(`keyhearth_requests_total{route="/healthz",status="200"} ${count}\n`);
    // What each of them knows whole is not added up.
    expect(text).toContain('keyhearth_ready{part="database"} 1\n');
    const resident = Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1]);
    const ofOne = 40 * 1024 * 1024;
    expect(resident).toBeGreaterThan(WORKERS * ofOne);
  });

  test("have one link to the mailbox", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await fetchMailbox(service)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test("lose nothing when one of them is killed, and another takes its place", async () => {
    const { key, walletId, signWith } = await createTarget(service, root);
    const load = startLoad(service, { key, walletId, signWith });
    await expect.poll(() => load.sent.length).toBeGreaterThan(40);
    const before = childrenOf(service.child.pid);
    process.kill(before[0] ?? 0, "SIGKILL");
    await expect.poll(() => service.stdout()).toContain("took the place");
    const sent = load.sent.length;
    await expect.poll(() => load.sent.length).toBeGreaterThan(sent + 20);
    await load.stop();
    const statuses = load.sent.map(({ answer }) => answer?.status ?? "broken off");
    expect(["broken off", 200, 503]).toEqual(expect.arrayContaining([...new Set(statuses)]));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(40);
    await expectKept(service, key, load.sent);
    await expectRepeatable(service, key, load.sent);
    const after = childrenOf(service.child.pid);
    expect(after).toHaveLength(WORKERS);
    expect(after).toContain(before[1]);
    expect(after).not.toContain(before[0]);
    expect(service.stdout()).toContain("a worker of the API ended");
  });

  test("refuse what is too fast for all of them together", async () => {
    const limited = await startService({
      ...settings,
      KEYHEARTH_DATA_DIR: join(temporary, "limited"),
      KEYHEARTH_RATE_LIMIT: "address=20",
    });
    try {
      const { key, signWith } = await createTarget(limited, root);
      const from = performance.now();
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => submit(limited, key, signing(key, signWith))),
      );
      const seconds = (performance.now() - from) / 1000;
      const accepted = answers.filter(({ status }) => status === 200).length;
      // Each worker may let a burst pass before it hears of the others, and each second lets 20 more.
      expect(accepted).toBeLessThan(WORKERS * 20 + 20 + 20 * seconds);
      expect(answers.filter(({ status }) => status === 429).length).toBe(200 - accepted);
    } finally {
      expect(await limited.stop()).toBe(0);
    }
  });

  test("end together at a signal, and with the process that started them", async () => {
    const others = { ...settings, KEYHEARTH_DATA_DIR: join(temporary, "others") };
    const stopped = await startService(others);
    const pids = childrenOf(stopped.child.pid);
    expect(pids).toHaveLength(WORKERS);
    expect(await stopped.stop()).toBe(0);
    expect(pids.filter(isRunning)).toEqual([]);

    const killed = await startService(others);
    const orphans = childrenOf(killed.child.pid);
    await killed.kill();
    await expect.poll(() => orphans.filter(isRunning)).toEqual([]);
  });

  describe("if one cannot start", () => {
    let busy: Server;

    beforeAll(async () => {
      busy = createServer();
      await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
    });

    afterAll(() => {
      busy.close();
    });

    test("none does, and one sentence says why", async () => {
      const { port } = busy.address() as AddressInfo;
      const refused = runMain({ ...settings, PORT: String(port) });
      expect(await refused.ended).toBe(1);
      expect(refused.stderr()).toMatch(/^keyhearth: port \d+ on 127\.0\.0\.1 is in use[^\n]*\n$/);
      expect(refused.stdout()).not.toContain("ready");
    });
  });
});
