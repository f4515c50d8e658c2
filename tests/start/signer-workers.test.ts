import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import {
  createTarget,
  expectKept,
  expectRepeatable,
  startLoad,
  wasAnswered,
} from "../kill/load.ts";
import { newDataDirectory } from "./data-directory.ts";
import { mainOf, type Process, readRootKey, run, startService, startSigner } from "./process.ts";

// The signer's process with several threads that decide.

const temporary = mkdtempSync(join(tmpdir(), "keyhearth-signer-workers-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const WORKERS = 2;

test("a signer with workers that is killed loses nothing, and its host repeats what it can", {
  timeout: 120_000,
}, async () => {
  const { signer, service, target, state } = await startBoth("killed");
  const load = startLoad(service, target);
  const answered = () => load.sent.filter(wasAnswered).length;
  await expect.poll(answered).toBeGreaterThan(20);
  await signer.kill();
  const next = await startSigner(state, [], { KEYHEARTH_SIGNER_WORKERS: String(WORKERS) });
  onTestFinished(async () => void (await next.stop()));
  const before = answered();
  await expect.poll(answered, { timeout: 20_000 }).toBeGreaterThan(before + 20);
  await load.stop();
  for (const { answer } of load.sent.filter((one) => !wasAnswered(one))) {
    expect(answer?.status).toBe(503);
  }
  await expectKept(service, target.key, load.sent);
  await expectRepeatable(service, target.key, load.sent);
});

test("has a thread for each worker, and none for a single one", async () => {
  const single = await threadsWith("1");
  expect(await threadsWith("3")).toBeGreaterThanOrEqual(single + 3);
});

test.each(["0", "9", "-1", "1.5", "two", "0x2", "2 workers"])(
  "does not start with %s workers, and says in one sentence what is accepted",
  async (given) => {
    const signer = run([mainOf("signer"), "--state", join(temporary, "never"), "--create"], {
      KEYHEARTH_SIGNER_WORKERS: given,
    });
    expect(await signer.ended).toBe(1);
    expect(signer.stderr()).toBe(
      `keyhearth signer: the number of workers is \`${given}\`; set --workers or KEYHEARTH_SIGNER_WORKERS to a whole number from 1 to 8\n`,
    );
    expect(signer.stdout()).toBe("");
  },
);

test.runIf(availableParallelism() < 8)(
  "starts with more workers than cores, and warns",
  async () => {
    const signer = await startSigner(join(temporary, "many"), [], {
      KEYHEARTH_SIGNER_WORKERS: "8",
    });
    expect(eventsOf(signer)[0]).toMatchObject({
      level: "warn",
      event: "the signer has more workers than cores",
      workers: 8,
      cores: availableParallelism(),
    });
    expect(await signer.stop()).toBe(0);
  },
);

async function startBoth(name: string) {
  const dataDirectory = await newDataDirectory(`signer-workers-${name}`);
  const state = join(temporary, name);
  const signer = await startSigner(state, [], { KEYHEARTH_SIGNER_WORKERS: String(WORKERS) });
  const service = await startService({
    KEYHEARTH_DATA_DIR: dataDirectory,
    KEYHEARTH_SIGNER: `unix:${signer.socket}`,
    KEYHEARTH_LOG_LEVEL: "fatal",
  });
  onTestFinished(async () => {
    await service.stop();
    await signer.stop();
    rmSync(dataDirectory, { recursive: true });
  });
  return {
    signer,
    service,
    state,
    target: await createTarget(service, readRootKey(dataDirectory)),
  };
}

function eventsOf({ stderr }: Process): Record<string, unknown>[] {
  return stderr()
    .trim()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}

async function threadsWith(workers: string): Promise<number> {
  const signer = await startSigner(join(temporary, `threads-${workers}`), [], {
    KEYHEARTH_SIGNER_WORKERS: workers,
  });
  const status = readFileSync(`/proc/${signer.child.pid}/status`, "utf8");
  await signer.stop();
  return Number(/^Threads:\s+(\d+)$/m.exec(status)?.[1]);
}
