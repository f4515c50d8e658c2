import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSmtp } from "@keyhearth/courier/smtp.testing";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { newDataDirectory } from "./data-directory.ts";
import {
  clientOf,
  readRootKey,
  runMain,
  startCourier,
  startService,
  startSigner,
} from "./process.ts";

const temporary = mkdtempSync(join(tmpdir(), "keyhearth-start-courier-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

// Each test starts several processes.
vi.setConfig({ testTimeout: 180_000 });

let directories = 0;
/** Where a signer or a courier keeps its state. */
function newDirectory(): string {
  directories += 1;
  return join(temporary, `state-${directories}`);
}

/** With an empty database that has all tables. */
async function newData(): Promise<string> {
  const directory = await newDataDirectory("courier");
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function sentenceOf(environment: Record<string, string>): Promise<string> {
  const process = runMain(environment);
  expect(await process.ended).toBe(1);
  const lines = process.stderr().trim().split("\n");
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
}

test("the embedded courier has a key that the embedded signer trusts, also in an older data directory", async () => {
  const data = await newData();
  const environment = { KEYHEARTH_DATA_DIR: data };
  const key = join(data, "courier-key");
  const trusted = join(data, "signer", "courier");
  await (await startService(environment)).stop();
  expect(statSync(key).mode & 0o777).toBe(0o600);
  const before = [readFileSync(key, "utf8"), readFileSync(trusted, "utf8")];
  await (await startService(environment)).stop();
  expect([readFileSync(key, "utf8"), readFileSync(trusted, "utf8")]).toEqual(before);

  // As an earlier version left it.
  rmSync(key);
  rmSync(trusted);
  await (await startService(environment)).stop();
  expect(readFileSync(key, "utf8")).not.toBe(before[0]);
  expect(existsSync(`${key}.new`)).toBe(false);

  // A start that was killed after the signer had learned the key, and before it had its name.
  writeFileSync(`${key}.new`, readFileSync(key, "utf8"), { mode: 0o600 });
  const killed = readFileSync(key, "utf8");
  rmSync(key);
  await (await startService(environment)).stop();
  expect(readFileSync(key, "utf8")).toBe(killed);
});

test("a start never replaces a courier's key, on either side", async () => {
  const data = await newData();
  const environment = { KEYHEARTH_DATA_DIR: data };
  const key = join(data, "courier-key");
  await (await startService(environment)).stop();
  const own = readFileSync(key, "utf8");

  writeFileSync(key, `${"11".repeat(32)}\n`);
  expect(await sentenceOf(environment)).toMatch(
    /the signer seals messages to another courier; to have it trust this one, .*`npm run signer -- trust-courier 04[0-9a-f]{128}`/,
  );
  expect(readFileSync(key, "utf8")).toBe(`${"11".repeat(32)}\n`);

  rmSync(key);
  expect(await sentenceOf(environment)).toMatch(/whose key is not in .*courier-key; restore/);
  expect(existsSync(key)).toBe(false);
  expect(existsSync(`${key}.new`)).toBe(false);

  writeFileSync(key, "damaged", { mode: 0o600 });
  expect(await sentenceOf(environment)).toContain("does not hold 64 hex characters");
  rmSync(key);
  writeFileSync(key, own, { mode: 0o644 });
  expect(await sentenceOf(environment)).toContain("run: chmod 600");
});

test("a signer process that has been in use trusts a courier only by its operator's command", async () => {
  const state = newDirectory();
  let signer = await startSigner(state);
  const environment = {
    KEYHEARTH_DATA_DIR: await newData(),
    KEYHEARTH_SIGNER: `unix:${signer.socket}`,
  };
  await (await startService(environment)).stop();
  await signer.stop();
  const trusted = join(state, "courier");
  const publicKey = readFileSync(trusted, "utf8").trim();

  rmSync(trusted);
  signer = await startSigner(state);
  try {
    expect(await sentenceOf(environment)).toContain(
      `the signer trusts no courier yet; to have it trust this one, stop the signer, run \`npm run signer -- trust-courier ${publicKey}\``,
    );
    expect(existsSync(trusted)).toBe(false);
  } finally {
    await signer.stop();
  }
});

test("a courier process opens and sends what the API cannot read", async () => {
  const mailServer = await startSmtp();
  const mail = {
    SMTP_URL: `smtp://127.0.0.1:${mailServer.port}?tls=off`,
    KEYHEARTH_MAIL_FROM: "Acme <login@acme.example>",
  };
  const state = newDirectory();
  const courier = await startCourier(state, mail);
  const data = await newData();
  const environment = {
    KEYHEARTH_DATA_DIR: data,
    KEYHEARTH_COURIER: `unix:${courier.socket}`,
  };
  try {
    const service = await startService(environment);
    const root = readRootKey(data);
    await clientOf(service, root).createInvitations({
      invitations: [
        {
          receiverUserName: "Grace",
          receiverUserEmail: "grace@example.com",
          receiverUserTags: [],
          accessType: "ACCESS_TYPE_ALL",
          senderUserId: root.userId,
        },
      ],
    });
    await expect.poll(() => mailServer.mails.length, { timeout: 20_000 }).toBe(1);
    expect(mailServer.mails[0]?.from?.text).toBe('"Acme" <login@acme.example>');
    expect(existsSync(join(data, "courier-key"))).toBe(false);
    expect(statSync(join(state, "courier-key")).mode & 0o777).toBe(0o600);
    // The site answers there.
    expect((await fetch(`${service.url}/mailbox/messages`)).status).not.toBe(200);
    expect(service.stdout()).not.toContain("Mailbox");
    await service.stop();
  } finally {
    await courier.stop();
  }
  // Another courier is not trusted because the API's environment names it.
  const other = await startCourier(newDirectory(), mail);
  try {
    expect(
      await sentenceOf({ ...environment, KEYHEARTH_COURIER: `unix:${other.socket}` }),
    ).toContain("the signer seals messages to another courier");
  } finally {
    await other.stop();
    await mailServer.stop();
  }
});

test("a courier process that cannot send, or whose variables are wrong, says so in one sentence", async () => {
  const failures: [Record<string, string>, string][] = [
    [{}, "nothing to send with: set SMTP_URL"],
    [{ SMTP_URL: "smtp://mail.example.com" }, "KEYHEARTH_MAIL_FROM must be set with SMTP_URL"],
    [{ SMS_WEBHOOK_URL: "hunter2" }, "SMS_WEBHOOK_URL has a value that is not accepted"],
  ];
  for (const [environment, sentence] of failures) {
    const failed = startCourier(newDirectory(), environment);
    await expect(failed).rejects.toThrow(`keyhearth courier: ${sentence}`);
    await expect(failed).rejects.not.toThrow("hunter2");
  }
});
