import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { openPglite } from "./pglite.ts";

test("bytes of any length arrive as they were written, several in one row too", async () => {
  const { run, close } = await openPglite({ directory: null });
  const lengths = [0, 1, 100, 16 * 1024 - 1, 16 * 1024, 300_000];
  await run("", "CREATE TABLE kept (length int PRIMARY KEY, first bytea, second bytea)", []);
  const written = lengths.map((length) => [length, randomBytes(length), randomBytes(length)]);
  for (const row of written) {
    await run("", "INSERT INTO kept VALUES ($1::int, $2::bytea, $3::bytea)", row);
  }
  const read = await run("", "SELECT * FROM kept WHERE length >= $1::int ORDER BY length", [0]);
  const asArrays = read.map(({ length, first, second }) => [length, first, second]);
  const expected = written.map((row) =>
    row.map((value) => (value instanceof Uint8Array ? new Uint8Array(value) : value)),
  );
  expect(asArrays).toEqual(expected);
  await close();
});
