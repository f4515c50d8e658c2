import { expect, test } from "vitest";
import { differenceOf } from "./difference.ts";

const side = (parts: ReturnType<typeof differenceOf>, without: string) =>
  parts
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join("");

test("what changed is marked, and both texts can be read", () => {
  const before = "eth.tx.value <= 100 && wallet.id == 'a'";
  const after = "eth.tx.value <= 2500 && wallet.id == 'a' && true";
  const parts = differenceOf(before, after);
  expect(parts).toEqual([
    { kind: "same", text: "eth.tx.value <= " },
    { kind: "removed", text: "100" },
    { kind: "added", text: "2500" },
    { kind: "same", text: " && wallet.id == 'a'" },
    { kind: "added", text: " && true" },
  ]);
  expect([side(parts, "added"), side(parts, "removed")]).toEqual([before, after]);
});

test.each([
  ["", "", []],
  ["", "all", [{ kind: "added", text: "all" }]],
  ["all", "", [{ kind: "removed", text: "all" }]],
  ["same", "same", [{ kind: "same", text: "same" }]],
])("from %j to %j", (before, after, parts) => {
  expect(differenceOf(before, after)).toEqual(parts);
});

test("texts that are too long for a comparison are shown whole", () => {
  const long = "a ".repeat(1500);
  expect(differenceOf(long, "b").map(({ kind }) => kind)).toEqual(["removed", "added"]);
});
