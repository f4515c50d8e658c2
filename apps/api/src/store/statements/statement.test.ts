import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../connect.ts";
import { createTestDatabase } from "../database.testing.ts";
import { createStatement } from "./statement.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database?.drop());

/** The store, and the name of each statement that it runs. */
function watched(): { store: Store; names: string[] } {
  const names: string[] = [];
  const run: Store["run"] = (name, text, values) => {
    names.push(name);
    return database.store.run(name, text, values);
  };
  return { store: { ...database.store, run }, names };
}

async function sumOf(store: Store, numbers: number[]): Promise<unknown> {
  const statement = createStatement();
  const terms = numbers.map((number) => statement.add(number, "bigint"));
  statement.with("sum", `SELECT ${terms.join(" + ")} AS value`);
  const [row] = await statement.run(store, "SELECT value::text FROM sum");
  return row?.value;
}

test("each text is prepared under one name of its own", async () => {
  const { store, names } = watched();
  expect(await sumOf(store, [1, 2])).toBe("3");
  expect(await sumOf(store, [10, 20])).toBe("30");
  expect(await sumOf(store, [1, 2, 3])).toBe("6");
  const [first, again, other] = names;
  expect(first).toMatch(/^commit-/);
  expect(again).toBe(first);
  expect(other).toMatch(/^commit-/);
  expect(other).not.toBe(first);
});

test("a text of very many parts is not prepared under a name, because there could be any number of them", async () => {
  const { store, names } = watched();
  const statement = createStatement();
  for (let i = 0; i < 30; i++)
    statement.with(`part${i}`, `SELECT ${statement.add(i, "bigint")} AS value`);
  const [row] = await statement.run(store, "SELECT value::text FROM part29");
  expect(row?.value).toBe("29");
  expect(names).toEqual([""]);
});

test("a list of bytes arrives as it was given, whatever the lengths", async () => {
  const rows = [[], [0], [255, 0, 34, 92, 123], Array.from({ length: 70_000 }, (_, i) => i % 256)];
  for (const given of [[], rows.slice(0, 1), rows]) {
    const statement = createStatement();
    const list = statement.list(given, "bytea", (bytes) => Uint8Array.from(bytes));
    statement.with(
      "given",
      `SELECT * FROM unnest(${list}) WITH ORDINALITY AS t(bytes, at) ORDER BY at`,
    );
    const arrived = await statement.run(database.store, "SELECT bytes FROM given");
    expect(arrived.map(({ bytes }) => [...(bytes as Uint8Array)])).toEqual(given);
  }
});
