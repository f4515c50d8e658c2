import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeByteArrays } from "./byte-arrays.ts";
import { migratedSnapshot } from "./database.testing.ts";
import { openPglite } from "./pglite.ts";

let run: Awaited<ReturnType<typeof openPglite>>["run"];
let close: () => Promise<void>;

beforeAll(async () => {
  ({ run, close } = await openPglite({ directory: null, snapshot: await migratedSnapshot() }));
});

afterAll(() => close?.());

test("bytes of any length arrive as they were written, several in one row too", async () => {
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
});

test("a statement with a name is planned once and gets other values each time", async () => {
  await run("", "CREATE TABLE named (id int PRIMARY KEY, text text, bytes bytea, big bigint)", []);
  const insert =
    "INSERT INTO named VALUES ($1::int, $2::text, $3::bytea, $4::bigint) RETURNING id AS made";
  for (const id of [1, 2]) {
    expect(await run("insert", insert, [id, null, null, 2 ** 40])).toEqual([{ made: id }]);
  }
  const select = "SELECT text, bytes, big FROM named WHERE id = ANY($1::int[])";
  const row = { text: null, bytes: null, big: 2 ** 40 };
  expect(await run("select", select, [[1, 2]])).toEqual([row, row]);
  expect(await run("select", select, [[3]])).toEqual([]);
});

test("a statement that fails has the database's code, and the next one runs", async () => {
  await run("", "CREATE TABLE unique_rows (id int PRIMARY KEY)", []);
  const insert = "INSERT INTO unique_rows VALUES ($1::int)";
  await run("insert one", insert, [1]);
  await expect(run("insert one", insert, [1])).rejects.toMatchObject({ code: "23505" });
  await expect(run("wrong", "SELECT $1::int FROM nowhere", [1])).rejects.toMatchObject({
    code: "42P01",
  });
  await expect(run("", "SELECT 1 FROM nowhere", [])).rejects.toMatchObject({ code: "42P01" });
  await run("insert one", insert, [2]);
  expect(await run("", "SELECT 5 AS first; SELECT id FROM unique_rows ORDER BY id", [])).toEqual([
    { id: 1 },
    { id: 2 },
  ]);
});

test("a list of bytes of any length arrives, and what it was made of can still be used", async () => {
  const select = "SELECT each FROM unnest($1::bytea[]) WITH ORDINALITY AS t (each, n) ORDER BY n";
  for (const lengths of [[], [0], [3, 0, 100], [5000, 1_500_000, 1]]) {
    const list = lengths.map((length) => new Uint8Array(randomBytes(length)));
    for (let again = 0; again < 2; again++) {
      const rows = await run("list", select, [encodeByteArrays(list)]);
      const same = rows.map(
        ({ each }, i) => list[i] && Buffer.compare(each as Uint8Array, list[i]),
      );
      expect(same).toEqual(list.map(() => 0));
    }
  }
});

test("texts of any length and letters are bound as they are, beside NULLs, bytes and numbers", async () => {
  const select =
    "SELECT $1::text AS a, $2::text AS b, $3::bytea AS c, $4::bigint AS d, $5::text[] AS e";
  for (const text of ["", "ä€🦊", "x".repeat(70_000), 'a"b\\c,{}']) {
    const bytes = new Uint8Array(randomBytes(text.length));
    const [row] = await run("texts", select, [text, null, bytes, 2 ** 40, [text, "second"]]);
    expect(row).toEqual({ a: text, b: null, c: bytes, d: 2 ** 40, e: [text, "second"] });
  }
});
