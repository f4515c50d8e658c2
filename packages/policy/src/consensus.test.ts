import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  consensusEnvironment,
  isPivotal,
  isReachable,
  isSurelyPivotal,
  newElectorate,
  possibleVotes,
  readsCredentials,
  sortOf,
  type User,
  type Vote,
} from "./consensus.ts";
import { compile, evaluate } from "./evaluate.ts";

const isLong = process.env.KEYHEARTH_LONG === "1";

const names = ["ann", "bob", "cid", "dan"];
const tags = ["ops", "sec"];

const predicate = fc.oneof(
  fc.constantFrom(...names).map((name) => `u.id == '${name}'`),
  fc.constantFrom(...tags).map((tag) => `u.tags.contains('${tag}')`),
  fc.constantFrom(...tags).map((tag) => `!('${tag}' in u.tags)`),
  fc.constantFrom("u.tags.count() == 2", "u.tags[0] == 'ops'", "true", "u.alias != ''"),
);
const voters = fc.oneof(
  fc.constant("approvers"),
  predicate.map((test) => `approvers.filter(u, ${test})`),
  fc.tuple(predicate, predicate).map(([a, b]) => `approvers.filter(u, ${a}).filter(u, ${b})`),
  fc.constantFrom("KEY", "PASS").map((type) => `credentials.filter(c, c.type == '${type}')`),
);
const comparison = fc.constantFrom("==", "!=", "<", ">", "<=", ">=");
const atom = fc.oneof(
  fc.tuple(voters, comparison, fc.nat(4)).map(([of, is, n]) => `${of}.count() ${is} ${n}`),
  fc.tuple(voters, comparison, fc.nat(4)).map(([of, is, n]) => `${n} ${is} ${of}.count`),
  voters.map((of) => `${of}.count() in [1, 3]`),
  fc
    .tuple(predicate, fc.constantFrom("any", "all"))
    .map(([is, all]) => `approvers.${all}(u, ${is})`),
  fc.constantFrom("KEY", "PASS").map((type) => `credentials.any(c, c.type == '${type}')`),
  fc.constantFrom(
    "true",
    "1 in [2]",
    "approvers.any(u, approvers.any(v, u.id == 'ann' && v.id == 'bob'))",
    "approvers.count() > approvers.filter(u, 'ops' in u.tags).count()",
    "approvers.filter(u, approvers.count() > 1).count() >= 1",
    "approvers.filter(u, approvers.count() > 1).count() in [1, 2]",
    // These err, whatever the votes are.
    "[true][3]",
    "approvers.count() >= [1][3]",
    "approvers.count() in [[1], [2]][7]",
  ),
);
const consensus = fc
  .array(
    fc
      .tuple(atom, fc.constantFrom("&&", "||"), fc.constantFrom("", "!", "true == "))
      .map(([text, join, prefix]) => [join, `${prefix}(${text})`] as const),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => {
    return parts.reduce((text, [join, part]) => (text ? `(${text}) ${join} ${part}` : part), "");
  });
const users = fc
  .array(
    fc.record({
      tags: fc.subarray(tags),
      alias: fc.constantFrom("", "x"),
      keys: fc.subarray(["KEY", "PASS"], { minLength: 1 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((some) => some.map(({ keys, ...rest }, i) => newUser(names[i] ?? "", rest, keys)));

test("what votes can still do agrees with trying all of them", { timeout: 600_000 }, () => {
  const answers = { yes: 0, no: 0 };
  fc.assert(
    fc.property(consensus, users, fc.nat(1), (source, everyone, key) => {
      const compiled = compile("consensus", source);
      const [first, ...others] = everyone as [User, ...User[]];
      const options = possibleVotes(first);
      const vote = options[key % options.length] as Vote;
      const holds = (votes: readonly Vote[]) => evaluate(compiled, consensusEnvironment(votes));
      const sets = allVotes(others);
      const reachable = sets.some((more) => holds([vote, ...more]) === true);
      const pivotal = sets.some((more) => {
        return holds(more) === false && holds([vote, ...more]) === true;
      });
      expect(isReachable(compiled, [vote], newElectorate(everyone))).toBe(reachable);
      expect(isPivotal(compiled, [vote], newElectorate(everyone))).toBe(pivotal);
      answers[pivotal ? "yes" : "no"]++;
    }),
    { numRuns: isLong ? 50_000 : 1000 },
  );
  expect(Math.min(answers.yes, answers.no)).toBeGreaterThan(100);
});

describe("with sixty users, which is too many to try their votes", () => {
  const everyone = Array.from({ length: 60 }, (_, i) =>
    newUser(`u${i}`, { tags: i < 5 ? ["ops"] : [], alias: "" }, i % 2 ? ["KEY"] : ["KEY", "PASS"]),
  );
  const votesOf = (i: number) => possibleVotes(everyone[i] as User);
  const [firstVote] = votesOf(0) as [Vote];
  const onlyU1 = "approvers.filter(u, u.id == 'u1')";

  // Steps for what the numbers of votes decide, and far too few for trying sets of votes.
  const ask = (is: typeof isReachable, source: string, votes: readonly Vote[]) =>
    is(compile("consensus", source), votes, newElectorate(everyone, 20_000));

  test.each([
    "false",
    "1 == 2 || approvers.count() > 60",
    "approvers.count() > 60",
    "approvers.count() >= 61",
    "approvers.count() == 0",
    "approvers.count() < 1",
    "61 <= approvers.count()",
    `${onlyU1}.count() == 2`,
    `${onlyU1}.count() in [2, 3]`,
    `${onlyU1}.count() in []`,
    `!(${onlyU1}.count() in [0, 1])`,
    `${onlyU1}.filter(u, u.id == 'u2').count() >= 1`,
    "approvers.any(u, u.id == 'nobody')",
    "!approvers.all(u, u.id != '')",
    "approvers.all(u, u.id == 'u1')",
    "(approvers.count() > 60) == true",
    "(approvers.count() >= 1) == (approvers.count() > 60)",
    "credentials.filter(c, c.type == 'PASS').count() > 30",
    "credentials.any(c, c.type == 'NONE')",
    `approvers.filter(u, u.tags.contains('ops')).count() > 5 && ${onlyU1}.count() in [1]`,
    "approvers.filter(u, u.tags.contains('ops')).count() == -1",
    "approvers.count() > 5000000",
    "approvers.count() == -5000000",
  ])("nobody can make this true: %s", (source) => {
    expect(ask(isReachable, source, [firstVote])).toBe(false);
    expect(ask(isPivotal, source, votesOf(0))).toBe(false);
    expect(ask(isSurelyPivotal, source, votesOf(0))).toBe(false);
  });

  test.each([
    "true",
    "1 == 1",
    "approvers.count() == 60",
    "approvers.count() in [60]",
    "approvers.count() in [2, 59]",
    "approvers.filter(u, u.tags.contains('ops')).count() == 5",
    "credentials.filter(c, c.type == 'PASS').count() == 29",
    "approvers.all(u, u.id != 'u1') && approvers.any(u, u.id == 'u2')",
    "!approvers.all(u, u.id == 'u0')",
    "(approvers.count() > 59) == true",
    "approvers.count() < 2",
    "approvers.count() > -1",
    "approvers.count() > -5000000",
    "approvers.count() < 5000000",
  ])("votes can make this true: %s", (source) => {
    expect(ask(isReachable, source, [firstVote])).toBe(true);
  });

  test.each([
    ["approvers.filter(u, u.tags.contains('ops')).count() >= 3", [0, 4], [5, 59]],
    ["approvers.any(u, u.id == 'u7') && approvers.count() >= 40", [7, 0], []],
    ["approvers.any(u, u.id == 'u7') && approvers.any(u, u.id == 'u9')", [7, 9], [0, 8]],
    ["approvers.filter(u, u.id != 'u3').count() in [30]", [0, 59], [3]],
    ["!approvers.all(u, u.id == 'u3')", [0, 4], [3]],
    ["credentials.filter(c, c.type == 'PASS').count() == 30", [0, 2], [1, 3]],
    ["approvers.count() >= 1 || approvers.count() >= 2", [0, 59], []],
    ["approvers.count() >= 0", [], [0, 59]],
  ] as const)("whose vote counts for %s", (source, counting, others) => {
    for (const i of counting) {
      expect(ask(isPivotal, source, votesOf(i)), `u${i}`).toBe(true);
      expect(ask(isSurelyPivotal, source, votesOf(i)), `u${i}`).toBe(true);
    }
    for (const i of others) {
      expect(ask(isPivotal, source, votesOf(i)), `u${i}`).toBe(false);
      expect(ask(isSurelyPivotal, source, votesOf(i)), `u${i}`).toBe(false);
    }
  });

  test("one of the votes that a user could give is enough", () => {
    const rule = "credentials.filter(c, c.type == 'PASS').count() >= 2";
    const [byKey, byPasskey] = votesOf(0) as [Vote, Vote];
    expect(ask(isPivotal, rule, [byKey])).toBe(false);
    expect(ask(isPivotal, rule, [byPasskey])).toBe(true);
    expect(ask(isPivotal, rule, [byKey, byPasskey])).toBe(true);
    expect(ask(isSurelyPivotal, rule, [byKey, byPasskey])).toBe(true);
  });

  test("votes are of one sort if the rule counts them alike", () => {
    const sort = (source: string, i: number, credential = 0) => {
      const vote = votesOf(i)[credential] as Vote;
      return sortOf(compile("consensus", source), vote, newElectorate(everyone));
    };
    const ops = "approvers.filter(u, u.tags.contains('ops')).count() >= 3";
    expect(sort(ops, 0)).toBe(sort(ops, 4));
    expect(sort(ops, 0)).not.toBe(sort(ops, 5));
    const passkeys = "credentials.filter(c, c.type == 'PASS').count() >= 2";
    expect(sort(passkeys, 0, 0)).not.toBe(sort(passkeys, 0, 1));
    expect(sort(passkeys, 0, 0)).toBe(sort(passkeys, 1));
    const first = "approvers[0].id == 'u1'";
    expect(sort(first, 0)).not.toBe(sort(first, 1));
    expect(sort(first, 0, 0)).not.toBe(sort(first, 0, 1));
    const failing = "approvers.filter(u, u.tags[0] == 'ops').count() >= 1";
    expect(sort(failing, 5)).toBe(sort(failing, 6));
    expect(sort(failing, 5)).not.toBe(sort(failing, 0));
  });

  test("a rule reads credentials if it names them", () => {
    const reads = (source: string) => readsCredentials(compile("consensus", source));
    expect(reads("credentials.count() >= 1")).toBe(true);
    expect(reads("approvers.count() >= 1 && credentials.any(c, c.type == 'KEY')")).toBe(true);
    expect(reads("approvers.any(u, u.id == 'u1')")).toBe(false);
    expect(reads("true")).toBe(false);
  });

  test.each([
    ["approvers.count() >= 30", 70],
    ["approvers.filter(u, u.tags.contains('ops')).count() >= 3", 400],
    [
      "approvers.filter(u, u.tags.contains('ops')).count() == 4 && approvers.count() in [20, 40]",
      480,
    ],
    ["approvers.all(u, !(u.tags.contains('ops'))) && approvers.count() == 33", 530],
    ["credentials.filter(c, c.type == 'PASS').count() == 20 && approvers.count() == 40", 4500],
    ["approvers.filter(u, u.tags.contains('ops')).count() > 5 && approvers.count() >= 30", 470],
  ])("what votes can do takes few steps: %s", (source, maxSteps) => {
    const rule = compile("consensus", source);
    const reaching = newElectorate(everyone);
    isReachable(rule, [firstVote], reaching);
    const pivoting = newElectorate(everyone);
    isPivotal(rule, votesOf(0), pivoting);
    expect(Math.max(reaching.work.steps, pivoting.work.steps)).toBeLessThan(maxSteps);
    // It also knows how much work it was, so that there is a limit.
    expect(Math.min(reaching.work.steps, pivoting.work.steps)).toBeGreaterThan(maxSteps / 2);
  });

  test("a user without credentials can vote", () => {
    const { credentials: _, ...bare } = everyone[0] as User;
    expect(possibleVotes(bare)).toEqual([{ user: bare }]);
    expect(possibleVotes({ ...bare, credentials: [] })).toHaveLength(1);
    expect(possibleVotes(everyone[0] as User)).toHaveLength(2);
  });
});

test("for a rule about the order of votes, it knows who can take part but not who cannot", () => {
  const tag = { tags: [], alias: "" };
  const everyone = Array.from({ length: 60 }, (_, i) => newUser(`u${i}`, tag, ["KEY"]));
  const rule = compile(
    "consensus",
    "approvers[0].id == 'u1' && approvers.any(u, u.id == 'u2') && approvers.count() >= 2",
  );
  const voters = (is: typeof isPivotal) =>
    everyone.filter((user) => is(rule, possibleVotes(user), newElectorate(everyone)));
  expect(voters(isPivotal)).toHaveLength(60);
  expect(voters(isSurelyPivotal).map(({ id }) => id)).toEqual(["u1", "u2"]);
});

test("a doubt about what votes can do is a yes", () => {
  const everyone = Array.from({ length: 60 }, (_, i) =>
    newUser(`u${i}`, { tags: [], alias: "" }, ["KEY"]),
  );
  const vote = { user: everyone[0] as User };
  const order = compile("consensus", "approvers[0].id == 'u1'");
  expect(isReachable(order, [vote], newElectorate(everyone, 1000))).toBe(true);
  const odd = compile(
    "consensus",
    "approvers.any(u, approvers.any(v, u.id == 'u58' && v.id == 'u59')) && approvers.count() == 40",
  );
  expect(isReachable(odd, [vote], newElectorate(everyone, 1000))).toBe(true);
});

function allVotes([first, ...rest]: readonly User[]): Vote[][] {
  if (!first) return [[]];
  const without = allVotes(rest);
  return [
    ...without,
    ...possibleVotes(first).flatMap((vote) => without.map((votes) => [vote, ...votes])),
  ];
}

function newUser(id: string, rest: { tags: string[]; alias: string }, keys: string[]): User {
  const credentials = keys.map((type) => {
    return { id: `${id}-${type}`, user_id: id, type, credential_id: "", public_key: "" };
  });
  return { id, email: "", ...rest, credentials };
}
