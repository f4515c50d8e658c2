import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { secret } from "@keyhearth/crypto/secret";
import { afterAll, expect, test } from "vitest";
import { assertPrivateDatabase } from "./private-database.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhearth-socket-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const check = (url: string) =>
  assertPrivateDatabase({
    database: { kind: "postgres", url: secret(url), isPooled: false, standbyUrl: null },
  });

test("a socket in a folder of one user is taken, and so is the embedded database", () => {
  check(`postgres://keyhearth@/postgres?host=${folder}`);
  check(`postgres://keyhearth@/postgres?host=${encodeURIComponent(folder)}`);
  assertPrivateDatabase({ database: { kind: "pglite", directory: folder } });
});

test.each([
  "postgres://keyhearth:hunter2@db.internal:5432/keyhearth",
  "postgres://keyhearth@localhost/keyhearth",
  `postgres://keyhearth@localhost/keyhearth?host=${folder}`,
  `postgres://keyhearth@/keyhearth?host=${folder}&host=db.internal`,
  "postgres://keyhearth@/keyhearth?host=db.internal",
  "postgres://keyhearth@/keyhearth?host=/nowhere",
  "postgres://keyhearth@/keyhearth",
  "postgres://keyhearth@%2Fvar%2Frun%2Fpostgresql/keyhearth",
])("what may be a real installation's database is refused: %s", (url) => {
  expect(() => check(url)).toThrow("may be that of a real installation");
  expect(() => check(url)).not.toThrow("hunter2");
});

test("a socket that several users reach is refused", () => {
  chmodSync(folder, 0o755);
  expect(() => check(`postgres://keyhearth@/postgres?host=${folder}`)).toThrow("mode 700");
  chmodSync(folder, 0o700);
});
