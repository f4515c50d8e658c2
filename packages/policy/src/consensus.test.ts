import fc from "fast-check";
import { expect, test } from "vitest";
import {
  consensusEnvironment,
  isPivotal,
  isReachable,
  isSurelyPivotal,
  newElectorate,
  possibleVotes,
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
