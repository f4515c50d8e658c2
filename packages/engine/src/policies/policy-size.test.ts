import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import type { OrganizationDocument, Policy } from "../records/organization.ts";
import { checkPolicySize } from "./policy-size.ts";

/** A clause of exactly so many parts. */
function parts(count: number): string {
  return `1 == 1${" || !!true".repeat((count - 3) / 4)}`;
}

function documentWith(...sizes: number[]): OrganizationDocument {
  const policies = sizes.map((size) => policy({ condition: parts(size) }));
  // The size depends on nothing else.
  return { policies } as OrganizationDocument;
}

function policy(clauses: Partial<Policy>): Policy {
  return { condition: null, consensus: null, time: null, ...clauses } as Policy;
}

function messageOf(act: () => void): string | null {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError && error.reason === "LIMIT_EXCEEDED") return error.message;
    throw error;
  }
  return null;
}

const create = (document: OrganizationDocument, ...sizes: number[]) =>
  messageOf(() => {
    const given = sizes.map((size) => ({ condition: parts(size) }));
    checkPolicySize(document, { given }, "parameters");
  });
const replace = (document: OrganizationDocument, from: string, to: string) =>
  messageOf(() => {
    const change = { given: [{ condition: to }], replaced: { condition: from } };
    checkPolicySize(document, change, "parameters");
  });

test("the parts of all policies count together", () => {
  expect(create(documentWith(), 3999)).toBeNull();
  expect(create(documentWith(3999, 3999, 2003), 3999, 5999)).toBeNull();
  expect(create(documentWith(3999, 3999, 2007), 3999, 5999)).toBe(
    "the policies of an organization may have 20,000 parts together (names, values, operators and brackets), and `parameters` has 9,998: shorten the clauses, or delete policies that are no longer needed",
  );
  expect(create(documentWith(3999, 3999, 3999), 3999, 3999, 3999)).toContain(
    "`parameters` has 11,997:",
  );
  expect(create(documentWith(), 3999, 3999, 3999, 3999, 3999, 3999)).toContain("more than 20,000:");
});

test("every clause counts", () => {
  const given = [{ condition: parts(3999), consensus: parts(3999), time: parts(3999) }];
  const add = (document: OrganizationDocument) =>
    messageOf(() => checkPolicySize(document, { given }, "parameters"));
  expect(add(documentWith(3999, 3999))).toBeNull();
  const others = [{ condition: null, consensus: parts(3999), time: parts(3999) }].map(policy);
  expect(add({ ...documentWith(7), policies: others } as OrganizationDocument)).toBeNull();
  others.push(policy({ time: parts(7) }));
  expect(add({ ...documentWith(7), policies: others } as OrganizationDocument)).not.toBeNull();
});

test("an update counts the difference", () => {
  const full = documentWith(3999, 3999, 3999, 3999, 3999);
  expect(replace(full, parts(3999), parts(3999))).toBeNull();
  expect(replace(full, parts(3999), parts(4003))).toBeNull();
  expect(replace(full, parts(3999), parts(4007))).not.toBeNull();
});

test("an organization that has more keeps it, may have less, and adds nothing", () => {
  const large = documentWith(...Array.from({ length: 8 }, () => 3999));
  expect(create(large)).toBeNull();
  expect(replace(large, parts(3999), parts(3999))).toBeNull();
  expect(replace(large, parts(3999), parts(7))).toBeNull();
  expect(replace(large, parts(3999), parts(4003))).not.toBeNull();
  expect(create(large, 7)).not.toBeNull();
});

test("counting ends at the limit, however long the texts are", () => {
  const given = Array.from({ length: 10_000 }, () => ({ condition: parts(5999) }));
  // Not by the clock on the wall, because tests share the machine.
  const before = process.cpuUsage();
  expect(messageOf(() => checkPolicySize(documentWith(), { given }, "parameters"))).not.toBeNull();
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});

test("a clause that is too long for any policy is left to the check of that clause", () => {
  const given = [{ condition: parts(19_999) }];
  expect(messageOf(() => checkPolicySize(documentWith(), { given }, "parameters"))).toBeNull();
});
