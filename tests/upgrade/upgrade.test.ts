import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSmtp } from "@keyhearth/courier/smtp.testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createDatabase, findPostgres, type Postgres, startPostgres } from "../postgres/start.ts";
import { clientOf, fetchMailbox, type Service, startService } from "../start/process.ts";
import { expectShown, expectWorks } from "./expect-world.ts";
import { embeddedIn, readWorld, startProcesses, stopAll } from "./leave.ts";
import { acceptClock, present, releases } from "./releases.ts";
import type { World } from "./world.ts";

// The programs that are checked out, on what earlier releases left.

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let temporary: string;
beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), "keyhearth-upgrade-"));
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

describe.each(releases)("what $version left", ({ version, embedded, processes }) => {
  test("in the embedded database works, and works again after another start", async () => {
    const folder = join(temporary, `${version}-embedded`);
    await embedded(folder);
    const world = readWorld(folder);
    await acceptClock(join(folder, "data/signer"));
    for (const start of ["first", "second"]) {
      const service = await startService(embeddedIn(folder));
      onTestFinished(async () => void (await service.kill()));
      expect([start, service.stdout()]).toEqual([start, expect.not.stringContaining("created")]);
      if (start === "first") await expectShown(service, world);
      await expectWorks(service, world);
      await invite(service, world, `${start}@example.com`);
      const messages = await (await fetchMailbox(service, `?to=${start}@example.com`)).json();
      expect(messages).toHaveLength(1);
      await stopAll([service]);
    }
  });

  describe.runIf(findPostgres())("in PostgreSQL, with a signer and a courier", () => {
    let postgres: Postgres;
    beforeAll(async () => {
      postgres = await startPostgres({ fsync: false });
    });
    afterAll(() => postgres?.stop());

    test("works", async () => {
      const folder = join(temporary, `${version}-processes`);
      const databaseUrl = await createDatabase(postgres.url, "earlier");
      await processes(folder, databaseUrl);
      const world = readWorld(folder);
      await acceptClock(join(folder, "signer"));
      const mailServer = await startSmtp();
      onTestFinished(() => mailServer.stop());
      const { port } = mailServer;
      const { service, courier, signer } = await startProcesses(present, folder, databaseUrl, port);
      onTestFinished(async () => {
        for (const each of [service, courier, signer]) await each.kill();
      });
      await expectShown(service, world);
      await expectWorks(service, world);
      await invite(service, world, "now@example.com");
      const receivers = () => mailServer.mails.flatMap(({ envelopeTo }) => envelopeTo);
      await expect.poll(receivers, { timeout: 30_000 }).toContain("now@example.com");
      await stopAll([service, courier, signer]);
    });
  });
});

/** A message that the signer seals now, to the courier of then. */
async function invite(service: Service, { root }: World, receiverUserEmail: string) {
  const invitation = {
    receiverUserName: "Katherine",
    receiverUserEmail,
    receiverUserTags: [],
    accessType: "ACCESS_TYPE_ALL" as const,
    senderUserId: root.userId,
  };
  await clientOf(service, root).createInvitations({ invitations: [invitation] });
}
