import { execFile } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { newDataDirectory } from "./data-directory.ts";
import { clientOf, type RootKey, readRootKey, startService } from "./process.ts";
import { sentenceOf } from "./refused.ts";

const demo = { args: ["--demo"] };
const keyIn = (directory: string, name: string): RootKey =>
  JSON.parse(readFileSync(join(directory, "demo", `${name}.json`), "utf8"));

async function newDirectory() {
  const directory = await newDataDirectory("demo");
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** What the table of a start shows of the demo. */
const shown = (stdout: string) => stdout.split("\n").filter((line) => /^ {2}Demo /.test(line));

test("a demo has three people, a wallet, and a signature that one approval completes", async () => {
  const directory = await newDirectory();
  const first = await startService({ KEYHEARTH_DATA_DIR: directory }, [], demo);
  onTestFinished(async () => void (await first.stop()));
  const root = readRootKey(directory);
  const [ada, grace] = [keyIn(directory, "ada"), keyIn(directory, "grace")];
  const { users } = await clientOf(first, ada).listUsers();
  expect(users.map(({ userName }) => userName).toSorted()).toEqual(["Ada", "Alan", "Grace"]);
  for (const name of ["ada", "grace", "alan", "demo"]) {
    expect(statSync(join(directory, "demo", `${name}.json`)).mode & 0o777).toBe(0o600);
  }
  for (const key of [ada, grace, keyIn(directory, "alan")]) {
    const { userId, organizationId } = await clientOf(first, key).whoami();
    expect({ userId, organizationId }).toEqual({
      userId: key.userId,
      organizationId: key.organizationId,
    });
  }
  const { wallets } = await clientOf(first, grace).listWallets();
  expect(wallets.map(({ walletName }) => walletName)).toEqual(["Treasury"]);

  const waiting = async () => {
    const { activities } = await clientOf(first, grace).listActivities({
      filterByStatus: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"],
    });
    return activities;
  };
  const [activity] = await waiting();
  await clientOf(first, grace).approveActivity({ fingerprint: activity?.fingerprint ?? "" });
  expect(await waiting()).toEqual([]);
  expect(await first.stop()).toBe(0);

  const second = await startService({ KEYHEARTH_DATA_DIR: directory }, [], demo);
  onTestFinished(async () => void (await second.stop()));
  expect(shown(first.stdout())).toHaveLength(3);
  expect(shown(second.stdout())).toEqual(shown(first.stdout()));
  const { organizationIds } = await clientOf(second, root).listSuborgs();
  expect(organizationIds).toEqual([ada.organizationId]);

  // As after a start that ended between the request and its answer.
  for (const name of ["ada", "grace", "alan", "demo"]) {
    rmSync(join(directory, "demo", `${name}.json`));
  }
  expect(await second.stop()).toBe(0);
  const third = await startService({ KEYHEARTH_DATA_DIR: directory }, [], demo);
  onTestFinished(async () => void (await third.stop()));
  expect(keyIn(directory, "ada")).toEqual(ada);
  expect(keyIn(directory, "grace")).toEqual(grace);
  expect((await clientOf(third, root).listSuborgs()).organizationIds).toEqual(organizationIds);
});

test("the program of the page shows what waits, and approves it as Grace", async () => {
  const folder = await newDirectory();
  const service = await startService({ KEYHEARTH_DATA_DIR: join(folder, "data") }, [], demo);
  onTestFinished(async () => void (await service.stop()));
  const program = "../../apps/website/snippets/self-hosting/approve-demo.ts";
  const run = async () => {
    const args = [fileURLToPath(new URL(program, import.meta.url))];
    const env = { ...process.env, KEYHEARTH_URL: service.url };
    return (await promisify(execFile)(process.execPath, args, { cwd: folder, env })).stdout;
  };
  expect(await run()).toMatch(
    /^ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2 of [0-9a-f]{64} by 0x[0-9a-fA-F]{40}\nACTIVITY_STATUS_COMPLETED: r is [0-9a-f]{64}\n$/,
  );
  expect(await run()).toBe("");
});

test("a service that others reach has no demo", async () => {
  const environment = {
    KEYHEARTH_DATA_DIR: await newDirectory(),
    KEYHEARTH_PUBLIC_URL: "https://keys.example.com",
  };
  expect(await sentenceOf(environment, demo)).toContain("only this machine");
});

test("a demo that cannot be made ends the start and says what is missing", async () => {
  const directory = await newDirectory();
  const first = await startService({ KEYHEARTH_DATA_DIR: directory });
  expect(await first.stop()).toBe(0);
  rmSync(join(directory, "root-api-key.json"));
  expect(await sentenceOf({ KEYHEARTH_DATA_DIR: directory }, demo)).toContain("root-api-key.json");
});

test("an option that does not exist is refused", async () => {
  const environment = { KEYHEARTH_DATA_DIR: await newDirectory() };
  expect(await sentenceOf(environment, { args: ["--dmeo"] })).toContain("`--dmeo`");
});
