import { countTokens } from "@keyhearth/policy/tokens";
import { expect, test } from "vitest";
import { resultOfThread } from "../memory/measure.testing.ts";
import { createCompiledPolicies } from "./compiled-policies.ts";
import { LIMITS } from "./limits.ts";
import { document, MB, type Measured, policy, texts } from "./measure-policies.testing.ts";
import type { Policy } from "./organization.ts";

const large = { max: 1024 * MB, maxPerOrganization: 1024 * MB };

test("the charge is at least what compiled clauses take, and policies that are alike besides", async () => {
  const program = new URL("./measure-policies.testing.ts", import.meta.url);
  const { clauses, alike, alikeTogether } = await resultOfThread<Measured>(program);
  expect(clauses.map(({ name }) => name)).toEqual(Object.keys(texts));
  for (const { name, taken, charged } of clauses) {
    expect(charged, name).toBeGreaterThan(taken);
    expect(charged, name).toBeLessThan(6 * taken);
  }
  const { groups } = createCompiledPolicies(large).of(document(alike), "digest");
  expect(groups?.[0]?.places).toHaveLength(400);
  expect(alikeTogether.charged).toBeGreaterThan(alikeTogether.taken);
});

test("policies of the greatest size compile in tens of milliseconds and take some megabytes", () => {
  for (const text of Object.values(texts)) {
    const count = Math.floor(LIMITS.policyParts / countTokens(text));
    const policies = Array.from({ length: count }, (_, index) =>
      policy(text + " ".repeat(index), index),
    );
    const compiled = createCompiledPolicies(large);
    const times = Array.from({ length: 3 }, (_, index) => {
      const before = process.threadCpuUsage();
      compiled.of(document(policies, `${index}`), "digest");
      return process.threadCpuUsage(before).user / 1000;
    });
    expect(Math.min(...times)).toBeLessThan(100);
    expect(compiled.cost / 3).toBeLessThan(8 * MB);
  }
});

const bounds = { max: 8 * MB, maxPerOrganization: 2 * MB };

test("a version compiles only the clauses that the one before did not have", () => {
  const compiled = createCompiledPolicies(bounds);
  const [kept, other] = [policy("1 == 1"), policy("2 == 2", 1)];
  const [before] = compiled.of(document([kept, other]), "first");
  expect(compiled.of(document([kept, other]), "first")[0]).toBe(before);
  const after = compiled.of(
    document([{ ...kept, notes: "changed" }, policy("3 == 3", 1)]),
    "second",
  );
  expect(after[0]?.condition?.run).toBe(before?.condition?.run);
  expect(after.map(({ policyId }) => policyId)).toEqual(["policy 0", "policy 1"]);
});

test("policies that are alike are found in each version", () => {
  const compiled = createCompiledPolicies(bounds);
  const policies = [1, 2, 3, 4, 5].map((n) => policy(`eth.tx.value < ${n}`, n));
  const placesOf = (some: Policy[], digest: string) =>
    compiled.of(document(some), digest).groups?.map(({ places }) => places);
  expect(placesOf(policies, "first")).toEqual([[0, 1, 2, 3, 4]]);
  expect(placesOf(policies, "first")).toEqual([[0, 1, 2, 3, 4]]);
  expect(placesOf([policy("true"), ...policies.slice(1)], "second")).toEqual([[1, 2, 3, 4]]);
  expect(placesOf(policies.slice(2), "third")).toEqual([]);
});

test("equal clauses of one document are one, and those of two organizations are not", () => {
  const compiled = createCompiledPolicies(bounds);
  const twice = [policy("1 == 1"), policy("1 == 1", 1)];
  const [first, second] = compiled.of(document(twice), "digest");
  expect(first?.condition).toBe(second?.condition);
  expect(first?.condition?.isShared).toBe(true);
  const [others] = compiled.of(document(twice, "another organization"), "digest");
  expect(others?.condition?.run).not.toBe(first?.condition?.run);
});

test("clauses that a document no longer has are dropped", () => {
  const compiled = createCompiledPolicies(bounds);
  compiled.of(document([policy("1 == 1")]), "one");
  const { cost } = compiled;
  for (let index = 0; index < 100; index++) {
    compiled.of(document([policy(`${index} == ${index}`)]), `version ${index}`);
  }
  expect(compiled.cost).toBeLessThan(cost + 100);
});

test("policies beyond an organization's part are compiled, but not kept", () => {
  const compiled = createCompiledPolicies(bounds);
  const others = compiled.of(document([policy("1 == 1")], "another organization"), "digest");
  const large = document([policy(texts.comparisons ?? "")]);
  expect(compiled.of(large, "digest")).toHaveLength(1);
  expect(compiled.of(large, "digest")).not.toBe(compiled.of(large, "digest"));
  const again = compiled.of(document([policy("1 == 1")], "another organization"), "digest");
  expect(again).toBe(others);
});
