import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../config/config.ts";
import { checkInstallation } from "./check.ts";
import { settingFindings } from "./database.ts";
import { checkFiles, space } from "./files.ts";

const good = {
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  synchronous_standby_names: "",
  max_connections: "100",
};

test.each([
  [{ fsync: "off" }, 0, ["fsync"]],
  [{ full_page_writes: "off" }, 0, ["full_page_writes"]],
  [{ synchronous_commit: "off" }, 0, ["synchronous_commit"]],
  [{ max_connections: "20" }, 0, ["max_connections"]],
  [{}, 1, ["replication"]],
  [{ synchronous_standby_names: "ANY 1 (*)" }, 1, []],
  [{}, 0, []],
])("of the database's settings %o with %d standbys, %o are wrong", (changed, standbys, names) => {
  const findings = settingFindings({ ...good, ...changed }, standbys);
  const checks = findings.filter(({ status }) => status !== "ok").map(({ check }) => check);
  expect(checks).toEqual(names);
});

test("an engine that lacks the settings is not blamed for them", () => {
  expect(settingFindings({}, 0).map(({ status }) => status)).toEqual(["ok"]);
});

test.each([
  [50_000_000, "error"],
  [1_000_000_000, "warning"],
  [9_000_000_000, "ok"],
])("with %d bytes free, the disk is %s", (free, status) => {
  expect(space("/data", { bavail: free, bsize: 1 }).status).toBe(status);
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "keyhearth-check-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("each file that others may read is named, and none is opened", () => {
  const folder = newFolder();
  chmodSync(folder, 0o700);
  mkdirSync(join(folder, "signer"), { mode: 0o700 });
  const config = readConfig({ KEYHEARTH_DATA_DIR: folder });
  const ofCheck = (name: string) => checkFiles(config).find(({ check }) => check === name);
  expect(ofCheck("permissions")?.status).toBe("ok");
  const path = join(folder, "signer/root-key");
  writeFileSync(path, "a secret", { mode: 0o644 });
  expect(ofCheck("permissions")).toEqual({
    check: "permissions",
    status: "error",
    message: `others may read ${path}: run \`chmod go-rwx ${path}\``,
  });
  expect(ofCheck("first API key")?.status).toBe("ok");
  writeFileSync(join(folder, "root-api-key.json"), "{}", { mode: 0o600 });
  expect(ofCheck("first API key")?.status).toBe("warning");
});

test("a service that others reach must have its signer apart, and its requests limited", async () => {
  const environment = {
    HOST: "0.0.0.0",
    KEYHEARTH_PUBLIC_URL: "https://keys.example.com",
    KEYHEARTH_RATE_LIMIT: "off",
    KEYHEARTH_DATA_DIR: newFolder(),
  };
  const findings = await checkInstallation(environment);
  const errors = findings.filter(({ status }) => status === "error").map(({ check }) => check);
  expect(errors).toEqual(["limits", "separate signer", "database"]);
  const [mail] = findings.filter(({ check }) => check === "mail");
  expect(mail?.message).toContain("set SMTP_URL");
});
