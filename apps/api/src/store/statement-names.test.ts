import { expect, test } from "vitest";
import { createStatementNames, digestName } from "./statement-names.ts";

test("a text keeps its name, and no other has it", () => {
  const nameOf = createStatementNames();
  const first = nameOf("SELECT 1", [1]);
  expect(first).not.toBe("");
  expect(nameOf("SELECT 1", [2])).toBe(first);
  expect(nameOf("SELECT 2", [1])).not.toBe(first);
});

test("a text with a long list has no name, because its next list has another length", () => {
  const nameOf = createStatementNames();
  const of = (length: number) => nameOf(`a list of ${length}`, Array(length).fill(0));
  expect(of(8)).not.toBe("");
  expect(of(9)).toBe("");
});

test("a hundred texts have names, and keep them", () => {
  const nameOf = createStatementNames();
  const names = Array.from({ length: 101 }, (_, i) => nameOf(`SELECT ${i}`, []));
  expect(new Set(names.slice(0, 100)).size).toBe(100);
  expect(names[100]).toBe("");
  expect(nameOf("SELECT 0", [])).toBe(names[0]);
});

test("lists of several values have no names, so that varying a filter does not use up those of others", () => {
  const nameOf = createStatementNames();
  const list = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => `$${from + i}`).join(", ");
  for (let statuses = 1; statuses < 5; statuses++) {
    for (let types = 1; types < 5; types++) {
      for (const order of [
        "",
        " order by a",
        " order by a desc",
        " limit 1",
        " limit 2",
        " limit 3",
        " limit 4",
      ]) {
        const where = `a in (${list(1, statuses)}) and b in (${list(statuses + 1, types)})${order}`;
        nameOf(`select 1 where ${where}`, Array(statuses + types).fill(0));
      }
    }
  }
  expect(nameOf("select of others", [])).not.toBe("");
});

test("a name is of its text alone, so no other process has it for another one", () => {
  const one = createStatementNames();
  const other = createStatementNames();
  one("SELECT 0", []);
  expect(one("SELECT 1", [])).toBe(other("SELECT 1", []));
  expect(digestName("SELECT 1")).toMatch(/^k-[0-9a-f]{32}$/);
  expect(digestName("SELECT 1")).not.toBe(digestName("SELECT 2"));
});
