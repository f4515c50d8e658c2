import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createDatabase, findPostgres, type Postgres, startPostgres } from "../postgres/start.ts";
import { type Answer, query, type Submission, signing, submission, submit } from "../start/post.ts";
import type { Process, RootKey, Service } from "../start/process.ts";
import { expectWorks } from "./expect-world.ts";
import { readWorld, startProcesses, stopAll } from "./leave.ts";
import { acceptClock, present, releases } from "./releases.ts";

// An installation of two API processes is upgraded one process at a time, while clients send requests.

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** How long a client goes on with one request. */
const PATIENCE_MS = 60_000;

/** Their number in one organization is limited. */
const MOST_TAGS = 80;

type Sent = { submission: Submission; answer: Answer | null; refusals: string[] };

/** As behind a load balancer: what one process does not answer is sent to the next one, with the same bytes. */
function startClients(urls: () => readonly string[], key: RootKey, makers: (() => Submission)[]) {
  const sent: Sent[] = [];
  let isStopped = false;
  const loops = makers.map(async (make, lane) => {
    while (!isStopped) {
      const one: Sent = { submission: make(), answer: null, refusals: [] };
      sent.push(one);
      const giveUpAt = Date.now() + PATIENCE_MS;
      for (let attempt = lane; one.answer === null && Date.now() < giveUpAt; attempt++) {
        const url = urls()[attempt % urls().length] ?? "";
        const answer = await submit({ url }, key, one.submission).catch(String);
        if (typeof answer !== "string" && answer.status === 200) one.answer = answer;
        else {
          one.refusals.push(typeof answer === "string" ? answer : JSON.stringify(answer.json));
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    }
  });
  return {
    sent,
    async stop() {
      isStopped = true;
      await Promise.all(loops);
    },
  };
}

describe.runIf(findPostgres()).each(releases)(
  "from $version",
  ({ version, processes, install }) => {
    let temporary: string;
    let postgres: Postgres;
    beforeAll(async () => {
      temporary = mkdtempSync(join(tmpdir(), "keyhearth-rolling-"));
      postgres = await startPostgres({ fsync: false });
    });
    afterAll(async () => {
      await postgres?.stop();
      rmSync(temporary, { recursive: true, force: true });
    });

    test("no request is lost, and none takes effect twice", async () => {
      const folder = join(temporary, version);
      const databaseUrl = await createDatabase(postgres.url, "rolling");
      await processes(folder, databaseUrl);
      const world = readWorld(folder);
      await acceptClock(join(folder, "signer"));
      // A fixture has no programs: then those that are checked out are replaced by themselves.
      const before = install ? await install(join(temporary, "before")) : present;
      const running: Process[] = [];
      onTestFinished(async () => {
        for (const each of running) await each.kill();
      });

      const old = await startProcesses(before, folder, databaseUrl);
      const beside = (programs = before) =>
        programs.startService({ ...old.environment, KEYHEARTH_DATA_DIR: join(folder, "second") });
      let services: Service[] = [old.service, await beside()];
      running.push(...services, old.courier, old.signer);

      const [{ signWith = "" } = {}] = world.signed;
      const sign = () => signing(world.root, signWith);
      let count = 0;
      const tagOrSign = () => {
        count += 1;
        if (count > MOST_TAGS) return sign();
        return submission(world.root, "create_user_tag", "ACTIVITY_TYPE_CREATE_USER_TAG", {
          userTagName: `rolling ${count}`,
          userIds: [],
        });
      };
      const clients = startClients(() => services.map(({ url }) => url), world.root, [
        tagOrSign,
        sign,
        sign,
      ]);
      onTestFinished(clients.stop);
      const untilMore = async () => {
        const goal = clients.sent.length + 20;
        await expect.poll(() => clients.sent.length, { timeout: 60_000 }).toBeGreaterThan(goal);
      };
      await untilMore();

      // The signer and the courier first: a service waits for them, and speaks only to a signer of its own release.
      await stopAll(services.splice(1));
      const [first] = services;
      if (first) await stopAll([first, old.courier, old.signer]);
      const now = await startProcesses(present, folder, databaseUrl);
      services = [now.service];
      running.push(now.service, now.courier, now.signer);
      await untilMore();
      const second = await beside(present);
      services.push(second);
      running.push(second);
      await untilMore();
      await clients.stop();

      const lost = clients.sent.filter(({ answer }) => answer === null);
      expect(lost.map(({ refusals }) => refusals.at(-1))).toEqual([]);
      const refusals = new Set(clients.sent.flatMap((each) => each.refusals));
      for (const refusal of refusals)
        expect(refusal).toMatch(/^TypeError: fetch failed$|"code":14,/);
      const ids = clients.sent.map(({ answer }) => String(answer?.json.activity?.id));
      expect(new Set(ids).size).toBe(clients.sent.length);
      for (const service of services) {
        for (const activityId of ids.slice(-20)) {
          const { json } = await query(service, world.root, "get_activity", { activityId });
          expect(json.activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
        }
      }
      await expectWorks(second, world);
      await stopAll([...services, now.courier, now.signer]);
    });
  },
);
