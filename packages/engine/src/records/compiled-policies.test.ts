import { compile } from "@keyhearth/policy/evaluate";
import { countTokens } from "@keyhearth/policy/tokens";
import { describe, expect, test } from "vitest";
import { heapUsed } from "../memory/measure.testing.ts";
import { createCompiledPolicies } from "./compiled-policies.ts";
import { LIMITS } from "./limits.ts";
import type { Policy } from "./organization.ts";

const MB = 1024 * 1024;
/** A clause may have 16,384 characters. Blanks at the end tell the texts apart. */
const LENGTH = 16_300;

/** As many repetitions of the part as fit into one clause. */
function repeated(first: string, part: string, last = ""): string {
  const times = Math.floor((LENGTH - first.length - last.length) / part.length);
  return first + part.repeat(times) + last;
}

const deep = `activity.params${".a".repeat(55)}==1`;

/** The texts that take the most memory or work for their length, and some that people write. */
const texts: Record<string, string> = {
  comparisons: repeated("1==1", "||1==1"),
  constants: repeated("true", "||true"),
  "common constants": repeated("true", "&&true"),
  "common comparisons": repeated("1==1", "&&1==1"),
  "common paths": repeated("eth.tx.to==''", "&&eth.tx.to==''"),
  "common negations": repeated("true", "&&!!!true"),
  "common quantifiers": repeated("[].any(x,true)", "&&[].any(x,true)"),
  negations: repeated("true", `||${"!".repeat(60)}true`),
  "short negations": repeated("true", "||!!!true"),
  numbers: repeated("1 in [1", ",1", "]"),
  lists: repeated("[[]", ",[]", "].count()==1"),
  texts: repeated("activity.type in [''", ",''", "]"),
  paths: repeated("eth.tx.to==''", "||eth.tx.to==''"),
  "long paths": repeated(deep, `||${deep}`),
  indexes: repeated("eth.tx.data[0]=='1'", "||eth.tx.data[0]=='1'"),
  objects: repeated("[{a:1}", ",{a:1}", "].any(x,x.a==1)"),
  quantifiers: repeated("[].any(x,true)", "||[].any(x,true)"),
  parentheses: repeated("((((1))))==1", "||((((1))))==1"),
  addresses: repeated(
    "eth.tx.to in ['']",
    "||eth.tx.to in ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48']",
  ),
};

function policy(condition: string, index = 0): Policy {
  const times = { createdAtMs: 0, updatedAtMs: 0 };
  const [policyId, policyName] = [`policy ${index}`, `name ${index}`];
  const others = { consensus: null, time: null, notes: "", ...times };
  return { policyId, policyName, effect: "EFFECT_ALLOW", condition, ...others };
}

function document(policies: Policy[], organizationId = "organization") {
  return { organizationId, policies };
}

describe("the charge is at least what compiled clauses take", () => {
  test.each(Object.entries(texts))("%s", (_, text) => {
    const large = { max: 1024 * MB, maxPerOrganization: 1024 * MB };
    const compiled = createCompiledPolicies(large);
    const policies = Array.from({ length: 8 }, (_, index) => policy(text + " ".repeat(index)));
    compile("condition", text);
    const before = heapUsed();
    for (const [index, one] of policies.entries())
      compiled.of(document([one], `${index}`), "digest");
    const taken = heapUsed() - before;
    expect(compiled.cost).toBeGreaterThan(taken);
    expect(compiled.cost).toBeLessThan(6 * taken);
  });
});

test("the charge covers what policies that are alike take besides", () => {
  const large = { max: 1024 * MB, maxPerOrganization: 1024 * MB };
  const compiled = createCompiledPolicies(large);
  const part = (index: number) => `''=='a text of ${1_000_000 + index} letters'`;
  const policies = Array.from({ length: 400 }, (_, n) =>
    policy(Array.from({ length: 10 }, (_, i) => part(10 * n + i)).join("&&"), n),
  );
  compile("condition", part(0));
  const before = heapUsed();
  expect(compiled.of(document(policies), "digest").groups?.[0]?.places).toHaveLength(400);
  expect(compiled.cost).toBeGreaterThan(heapUsed() - before);
});

test("policies of the greatest size compile in tens of milliseconds and take some megabytes", () => {
  const large = { max: 1024 * MB, maxPerOrganization: 1024 * MB };
  for (const text of Object.values(texts)) {
    const count = Math.floor(LIMITS.policyParts / countTokens(text));
    const policies = Array.from({ length: count }, (_, index) =>
      policy(text + " ".repeat(index), index),
    );
    const compiled = createCompiledPolicies(large);
    const times = Array.from({ length: 5 }, (_, index) => {
      const before = process.threadCpuUsage();
      compiled.of(document(policies, `${index}`), "digest");
      return process.threadCpuUsage(before).user / 1000;
    });
    expect(Math.min(...times)).toBeLessThan(100);
    expect(compiled.cost / 5).toBeLessThan(8 * MB);
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
