import { expect, test } from "vitest";
import { createPending } from "./pending.ts";

const answerOf = (organizationId: string, id: string, notes = "") => ({
  organizationId,
  json: JSON.stringify({ activity: { id, notes } }),
});

test("an organization finds its own activities until they are removed", () => {
  const pending = createPending();
  pending.add("one", "a", answerOf("one", "a"));
  expect(pending.find("one", "a")).toMatchObject({ id: "a" });
  expect(pending.find("two", "a")).toBeUndefined();
  pending.remove("a");
  expect(pending.find("one", "a")).toBeUndefined();
});

test("what was lost on its way is unknown to its own organization alone", () => {
  const pending = createPending();
  pending.add("one", "a", answerOf("one", "a"));
  pending.lose("one", "a");
  expect(pending.find("one", "a")).toBe("unknown");
  expect(pending.find("two", "a")).toBeUndefined();
});

test("however many requests of an organization are late, others keep theirs", () => {
  const pending = createPending({ max: 100_000, maxPerOrganization: 30_000 });
  pending.add("other", "first", answerOf("other", "first"));
  for (let i = 0; i < 100; i++) {
    pending.add("many", String(i), answerOf("many", String(i), "x".repeat(1000)));
  }
  expect(pending.find("other", "first")).toBeDefined();
  const kept = Array.from({ length: 100 }, (_, i) => pending.find("many", String(i)));
  expect(kept.at(-1)).toBeDefined();
  expect(kept.filter((each) => each !== undefined).length).toBeLessThan(15);
});
