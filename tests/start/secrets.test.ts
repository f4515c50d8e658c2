import { rmSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { newDataDirectory } from "./data-directory.ts";
import { runMain, startService } from "./process.ts";

vi.setConfig({ testTimeout: 120_000 });

const secrets = {
  DATABASE_URL: "postgres://keyhearth:first-secret@127.0.0.1:1/keyhearth",
  KEYHEARTH_METRICS_TOKEN: "second-secret-token",
  KEYHEARTH_MAIL_FROM: "login@example.com",
  SMTP_URL: "smtp://keyhearth:third-secret@127.0.0.1:1",
  TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}`,
  TWILIO_AUTH_TOKEN: "fourth-secret",
  TWILIO_FROM: "+14155550100",
  KEYHEARTH_LOG_LEVEL: "trace",
};

async function newData(name: string): Promise<string> {
  const directory = await newDataDirectory(name);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test("a start with every secret set shows none of them", async () => {
  const { DATABASE_URL: _, ...others } = secrets;
  const service = await startService({ ...others, KEYHEARTH_DATA_DIR: await newData("secrets") });
  await service.stop();
  expect(service.stdout()).toContain('"level":"info"');
  expect(service.stdout() + service.stderr()).not.toMatch(/(second|third|fourth).secret/);
});

test.each([
  ["SMTP_URL", "smtp://keyhearth:fifth-secret@127.0.0.1:1/path"],
  ["KEYHEARTH_METRICS_TOKEN", "fifth-secret token"],
  ["DATABASE_URL", "mysql://keyhearth:fifth-secret@127.0.0.1:1/keyhearth"],
  ["SMS_WEBHOOK_URL", "https://keyhearth:fifth-secret@sms.example.com"],
])("a start that %s ends shows no secret", async (name, value) => {
  const process = runMain({ ...secrets, [name]: value });
  expect(await process.ended).toBe(1);
  expect(process.stderr()).toContain(name);
  expect(process.stdout() + process.stderr()).not.toMatch(
    /(first|second|third|fourth|fifth).secret/,
  );
});

test("a start that waits for its database shows no secret", async () => {
  const process = runMain({ ...secrets, KEYHEARTH_DATA_DIR: await newData("waiting") });
  const shown = () => process.stdout() + process.stderr();
  await vi.waitFor(() => expect(shown()).toContain("the start waits"), { timeout: 60_000 });
  await process.kill();
  expect(shown()).not.toMatch(/(first|second|third|fourth).secret/);
});
