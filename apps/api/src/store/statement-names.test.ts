import { expect, test } from "vitest";
import { createStatementNames } from "./statement-names.ts";

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
