import fc from "fast-check";
import { expect, test } from "vitest";
import type { User } from "../consensus.ts";
import { compilePolicy, type DecisionInput, decide, type Effect } from "../decide.ts";
import { makeEnvironment } from "../environment.ts";
import { neededApprovals } from "./approvals.ts";

const USERS: User[] = [
  newUser("ann", ["ops"]),
  newUser("bob", ["ops"]),
  newUser("cid", ["ops", "sec"]),
  newUser("dan", ["sec"]),
  newUser("eve", []),
];

test("the sets are those that complete a rule, without idle users", () => {
  const two = "approvers.filter(u, 'ops' in u.tags).count() >= 2";
  const sec = "approvers.any(u, 'sec' in u.tags)";
  expect(neededApprovals(newRequest([["EFFECT_ALLOW", two]], ["ann"]))).toEqual({
    sets: [["bob"], ["cid"]],
    isCut: false,
  });
  expect(neededApprovals(newRequest([["EFFECT_ALLOW", `${two} && ${sec}`]], ["ann"]))).toEqual({
    sets: [["cid"], ["bob", "dan"]],
    isCut: false,
  });
});

test("a denial that a vote would cause is avoided", () => {
  const request = newRequest(
    [
      ["EFFECT_ALLOW", "approvers.count() >= 2"],
      ["EFFECT_DENY", "approvers.any(u, 'sec' in u.tags)"],
    ],
    ["ann"],
  );
  expect(neededApprovals(request).sets).toEqual([["bob"], ["eve"]]);
});

test("the root quorum is one of the sets", () => {
  const request = newRequest([], ["ann"], { threshold: 3, userIds: ["ann", "bob", "cid", "dan"] });
  expect(neededApprovals(request).sets).toEqual([
    ["bob", "cid"],
    ["bob", "dan"],
    ["cid", "dan"],
  ]);
});

test("policies complete nothing that only the root quorum may approve", () => {
  const rootQuorum = { threshold: 2, userIds: ["ann", "bob", "cid"] };
  const request = newRequest([["EFFECT_ALLOW", "approvers.count() >= 2"]], ["ann"], rootQuorum);
  expect(neededApprovals(request).sets).toEqual([["bob"], ["cid"], ["dan"], ["eve"]]);
  expect(neededApprovals({ ...request, isRootQuorumOnly: true })).toEqual({
    sets: [["bob"], ["cid"]],
    isCut: false,
  });
});

test("a decided activity needs nothing, and many sets are cut", () => {
  expect(neededApprovals(newRequest([], ["ann"]))).toEqual({ sets: [], isCut: false });
  const users = Array.from({ length: 100 }, (_, i) => newUser(`u${i}`, []));
  const request = newRequest([["EFFECT_ALLOW", "approvers.count() >= 4"]], []);
  const { sets, isCut } = neededApprovals({ ...request, users, approvals: [{ userId: "u0" }] });
  expect(sets).toHaveLength(20);
  expect(isCut).toBe(true);
});

test("a user who could vote in two ways is not tried with each set of the others", () => {
  const users = Array.from({ length: 50 }, (_, i) => newUser(`u${i}`, i === 0 ? ["sec"] : []));
  const rule =
    "credentials.count() >= 25 && credentials.any(c, c.type == 'PASS') && approvers.count() == 26";
  const request = newRequest([["EFFECT_ALLOW", rule]], []);
  const { sets } = neededApprovals({ ...request, users, approvals: [{ userId: "u49" }] }, 1);
  expect(sets).toHaveLength(1);
  expect(sets[0]).toHaveLength(25);
  expect(sets[0]).toContain("u0");
});

test.each([
  ["by the order of votes", ["approvers[0].id == 'x' || credentials[0].id == 'y'"]],
  [
    "by many rules of many parts",
    Array.from({ length: 60 }, (_, rule) =>
      Array.from({ length: 250 }, (_, i) => `approvers.any(u, u.id == 'x${rule}.${i}')`).join(
        " || ",
      ),
    ),
  ],
])("a decision about many users %s ends soon", (_, rules) => {
  const tags = Array.from({ length: 100 }, (_, i) => `tag ${i}`);
  const users = Array.from({ length: 100 }, (_, i) => {
    const keys = Array.from({ length: 10 }, (_, key) => newCredential(`u${i}`, `key ${key}`));
    return { ...newUser(`u${i}`, tags), credentials: keys };
  });
  const request = newRequest(
    rules.map((rule) => ["EFFECT_ALLOW", rule]),
    users.slice(0, 50).map(({ id }) => id),
  );
  expect(decide({ ...request, users }).outcome).not.toBe("OUTCOME_ALLOW");
  expect(neededApprovals({ ...request, users }).sets).toEqual([]);
  expect(neededApprovals({ ...request, users, approvals: [{ userId: "u0" }] }).sets).toEqual([]);
});

test("the sets agree with deciding about every set", () => {
  const atom = fc.oneof(
    fc.constantFrom(...USERS).map(({ id }) => `approvers.any(u, u.id == '${id}')`),
    fc.constantFrom("ops", "sec").map((tag) => `approvers.any(u, '${tag}' in u.tags)`),
    fc.tuple(fc.constantFrom("ops", "sec"), fc.nat(3)).map(([tag, n]) => {
      return `approvers.filter(u, u.tags.contains('${tag}')).count() >= ${n}`;
    }),
    fc.nat(4).map((n) => `approvers.count() >= ${n}`),
    fc.constant("approvers.any(u, approvers.any(v, u.id == 'bob' && v.id == 'cid'))"),
    fc.constant("credentials.any(c, c.type == 'PASS')"),
  );
  const rule = fc.tuple(atom, fc.constantFrom("&&", "||"), atom).map((parts) => parts.join(" "));
  const effect = fc.constantFrom<Effect>("EFFECT_ALLOW", "EFFECT_ALLOW", "EFFECT_DENY");
  let pending = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(effect, rule), { minLength: 1, maxLength: 3 }), (policies) => {
      const request = newRequest(policies, ["ann"]);
      const { sets, isCut } = neededApprovals(request, 1000);
      if (decide(request).outcome === "OUTCOME_REQUIRES_CONSENSUS") pending++;
      else return;
      expect(isCut).toBe(false);
      expect(sorted(sets)).toEqual(sorted(smallest(request)));
    }),
    { numRuns: 500 },
  );
  expect(pending).toBeGreaterThan(50);
});

/** Sets of users that allow, and contain no smaller set that does. */
function smallest(request: DecisionInput): string[][] {
  const others = ["bob", "cid", "dan", "eve"];
  const allowing: string[][] = [];
  for (let bits = 0; bits < 16; bits++) {
    const set = others.filter((_, i) => bits & (1 << i));
    const isAllowed = (approvals: DecisionInput["approvals"]) =>
      decide({ ...request, approvals }).outcome === "OUTCOME_ALLOW";
    const ways = set.reduce<DecisionInput["approvals"][]>(
      (some, userId) => some.flatMap((way) => waysOf(userId).map((one) => [...way, one])),
      [request.approvals],
    );
    if (ways.some(isAllowed)) allowing.push(set);
  }
  return allowing.filter((set) => {
    return !allowing.some((other) => other !== set && other.every((id) => set.includes(id)));
  });
}

function waysOf(userId: string): { userId: string }[] {
  const { credentials = [] } = USERS.find(({ id }) => id === userId) ?? {};
  return credentials.map((credential) => ({ userId, credential }));
}

function sorted(sets: readonly (readonly string[])[]) {
  return sets.map((set) => set.join()).sort();
}

function newUser(id: string, tags: string[]): User {
  const types = tags.includes("sec") ? ["KEY", "PASS"] : ["KEY"];
  return {
    id,
    tags,
    email: "",
    alias: "",
    credentials: types.map((type) => newCredential(id, type)),
  };
}

function newCredential(id: string, type: string) {
  return { id: `${id}-${type}`, user_id: id, type, credential_id: "", public_key: "" };
}

function newRequest(
  policies: [Effect, string][],
  by: string[],
  rootQuorum: DecisionInput["rootQuorum"] = { threshold: 1, userIds: [] },
): DecisionInput {
  return {
    policies: policies.map(([effect, consensus], i) => {
      return compilePolicy({ policyId: `p${i}`, effect, consensus });
    }),
    environment: makeEnvironment({}),
    users: USERS,
    approvals: by.map((userId) => ({ userId })),
    rootQuorum,
  };
}
