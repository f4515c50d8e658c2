import { describe, expect, test } from "vitest";
import {
  type Credential,
  consensusEnvironment,
  type Electorate,
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
import { makeEnvironment } from "./environment.ts";
import { compile } from "./evaluate.ts";

function newUser(id: string, tags: string[], keys: string[] = []): User {
  const credentials = keys.map((type): Credential => {
    return { id: `${id} ${type}`, user_id: id, type, credential_id: "", public_key: "" };
  });
  return { id, tags, email: `${id}@example.com`, alias: "", credentials };
}

// As many as one cannot try in all combinations. The order of their credentials differs.
const MANY = Array.from({ length: 60 }, (_, i) => {
  return newUser(`u${i}`, i < 5 ? ["ops"] : [], [["KEY"], ["KEY", "PASS"], ["PASS", "KEY"]][i % 3]);
});
const FEW = [
  newUser("ann", ["ops"]),
  newUser("bob", ["ops", "sec"]),
  newUser("cid", ["sec"]),
  newUser("dan", []),
];

const OPS = "approvers.filter(u, u.tags.contains('ops'))";
const PAIR = "approvers.any(u, approvers.any(v, u.id == 'ann' && v.id == 'bob'))";
const ordered = (user: string) => `approvers[0].id == '${user}' && approvers.count() >= 2`;

function firstOf(users: readonly User[]): Vote {
  return possibleVotes(users[0] as User)[0] as Vote;
}

/** What the votes of the first user can do, and the steps to find out. */
function answer(source: string, users: readonly User[], maxSteps?: number) {
  const rule = compile("consensus", source);
  const ask = (question: (electorate: Electorate) => boolean) => {
    const electorate = newElectorate(users, maxSteps);
    return [question(electorate), electorate.work.steps];
  };
  const votes = possibleVotes(users[0] as User);
  return {
    reachable: ask((electorate) => isReachable(rule, [firstOf(users)], electorate)),
    pivotal: ask((electorate) => isPivotal(rule, votes, electorate)),
    surely: ask((electorate) => isSurelyPivotal(rule, votes, electorate)),
  };
}

// The limit of steps decides between an answer and a doubt. It must not move with the machine, nor
// with a change of the code that does not mean to.
describe("the steps to find out what votes can do", () => {
  test.each<[string, boolean, number, boolean, number]>([
    ["true", true, 1, false, 1],
    ["approvers.count() >= 30", true, 62, true, 65],
    ["approvers.count() > 59", true, 62, true, 62],
    ["approvers.count() > 60", false, 61, false, 61],
    ["approvers.count() == 60", true, 62, true, 62],
    ["approvers.count() == 61", false, 61, false, 61],
    ["approvers.count() == 0", false, 61, false, 61],
    ["approvers.count() < 1", false, 61, false, 61],
    ["approvers.count() < 2", true, 66, false, 66],
    ["approvers.count() <= 1", true, 65, false, 65],
    ["approvers.count() != 1", true, 62, true, 64],
    ["approvers.count() == 1", true, 65, true, 65],
    ["approvers.count() in [2, 4]", true, 65, true, 65],
    ["approvers.count() > 5000000", false, 61, false, 61],
    ["approvers.count() > 1000000", false, 61, false, 61],
    ["approvers.count() > 999999", false, 61, false, 61],
    ["approvers.count() > -1000000", true, 61, false, 61],
    ["approvers.count() > -5000000", true, 61, false, 61],
    [`${OPS}.count() >= 3`, true, 367, true, 369],
    [`${OPS}.count() > 5`, false, 366, false, 366],
    [`${OPS}.count() == 4 && approvers.count() in [20, 40]`, true, 436, true, 436],
    [`${OPS}.count() == 5 || approvers.count() == 61`, true, 427, true, 427],
    [`!(${OPS}.count() < 2) && approvers.count() < 9`, true, 437, true, 476],
    ["approvers.all(u, u.tags.contains('ops')) && approvers.count() == 5", true, 436, true, 436],
    ["approvers.all(u, u.tags.contains('ops')) && approvers.count() == 6", false, 481, false, 481],
    ["approvers.any(u, u.id == 'u7') && approvers.any(u, u.id == 'u9')", true, 724, false, 726],
    ["credentials.count() >= 30", true, 102, true, 105],
    ["credentials.filter(c, c.type == 'PASS').count() == 20", true, 604, false, 624],
    ["credentials.filter(c, c.type == 'KEY').count() == 41", true, 605, true, 605],
    [
      "credentials.all(c, c.type == 'KEY') && credentials.any(c, c.type == 'PASS')",
      false,
      1205,
      false,
      1205,
    ],
  ])("many users, %s", (source, reachable, reachSteps, pivotal, pivotSteps) => {
    expect(answer(source, MANY)).toEqual({
      reachable: [reachable, reachSteps],
      pivotal: [pivotal, pivotSteps],
      surely: [pivotal, pivotSteps],
    });
  });

  // Rules of more parts, for which the search looks at more than one number of votes.
  test.each<[string, boolean, number, boolean, number]>([
    [
      "credentials.filter(c, c.type == 'KEY').count() == 40 && credentials.filter(c, c.type == 'PASS').count() == 20",
      true,
      1225,
      true,
      1225,
    ],
    [
      "credentials.filter(c, c.type == 'KEY').count() == 60 && credentials.any(c, c.type == 'PASS')",
      false,
      1242,
      false,
      1242,
    ],
    [
      `approvers.all(u, u.tags.contains('ops')) && approvers.count() == 6 || approvers.count() > 5000000`,
      false,
      547,
      false,
      547,
    ],
    [
      `approvers.all(u, u.tags.contains('ops')) && approvers.count() == 6 || approvers.count() > 1000000`,
      false,
      547,
      false,
      547,
    ],
    [
      `approvers.any(u, u.id == 'u0') || ${OPS}.count() < 3 || ${OPS}.count() >= 2`,
      true,
      1091,
      false,
      1096,
    ],
    [
      "approvers.any(u, u.id == 'u1') && approvers.any(u, u.id == 'u2') && approvers.any(u, u.id == 'u3') && approvers.any(u, u.id == 'u4')",
      true,
      1460,
      false,
      1470,
    ],
    ["approvers.count() in []", false, 61, false, 61],
    ["(approvers.count() >= 3) == (approvers.count() >= 9)", true, 122, true, 125],
    ["(approvers.count() >= 1) == (approvers.count() > 60)", false, 121, false, 121],
    ["!(approvers.count() < 3) || [true][0]", true, 61, false, 61],
  ])("many users, %s", (source, reachable, reachSteps, pivotal, pivotSteps) => {
    expect(answer(source, MANY)).toEqual({
      reachable: [reachable, reachSteps],
      pivotal: [pivotal, pivotSteps],
      surely: [pivotal, pivotSteps],
    });
  });

  test.each<[string, boolean, number, boolean, boolean, number]>([
    [PAIR, true, 98, true, true, 113],
    [`${PAIR} && approvers.count() == 4`, true, 780, true, true, 1076],
    [`${PAIR} && approvers.count() == 5`, false, 780, false, false, 1076],
    [`${PAIR} || approvers.count() >= 1`, true, 39, true, true, 46],
    [ordered("ann"), true, 65, true, true, 119],
    [ordered("bob"), true, 268, true, true, 130],
    [ordered("eve"), true, 268, true, false, 602],
    ["approvers[0..1].count() == 2", true, 244, true, false, 535],
    ["approvers.any(u, u.id == approvers[0].id && u.id == 'eve')", true, 436, true, false, 1032],
    [
      "approvers.any(u, approvers.any(v, u.tags[0] == 'x' && v.id == 'ann'))",
      false,
      764,
      false,
      false,
      662,
    ],
    [
      "approvers.any(u, approvers.any(v, u.id[0..1] == 'x' && v.id == 'ann'))",
      false,
      908,
      false,
      false,
      1236,
    ],
    [
      "['x', 'y'][0] == 'y' && approvers.count() == approvers.count()",
      false,
      284,
      false,
      false,
      388,
    ],
    ["approvers.count() == credentials.count()", false, 220, false, false, 255],
    ["approvers.count() in [approvers.count(), 7]", true, 30, false, false, 252],
    // The name of an element hides the root only in the predicate.
    ["approvers[0..1].any(approvers, approvers.id == 'eve')", true, 260, true, false, 575],
    // These err, whatever the votes are.
    ["[true][3] || approvers.count() >= 1", false, 252, false, false, 252],
    ["approvers.count() >= [1][3]", false, 236, false, false, 236],
    ["approvers.count() in [[1], [2]][7]", false, 260, false, false, 260],
  ])("few users, %s", (source, reachable, reachSteps, pivotal, surely, pivotSteps) => {
    expect(answer(source, FEW)).toEqual({
      reachable: [reachable, reachSteps],
      pivotal: [pivotal, pivotSteps],
      surely: [surely, pivotSteps],
    });
  });

  test.each([
    ["approvers.count() > 60", MANY],
    [`${OPS}.count() > 5`, MANY],
    ["credentials.all(c, c.type == 'KEY') && credentials.any(c, c.type == 'PASS')", MANY],
    [`${PAIR} && approvers.count() == 5`, FEW],
  ])("are a limit. One less, and the answer to %s is a doubt", (source, users) => {
    const { reachable, pivotal } = answer(source, users);
    const [reachSteps, pivotSteps] = [Number(reachable[1]), Number(pivotal[1])];
    expect(answer(source, users, reachSteps).reachable[0]).toBe(false);
    expect(answer(source, users, reachSteps - 1).reachable[0]).toBe(true);
    expect(answer(source, users, pivotSteps).pivotal[0]).toBe(false);
    expect(answer(source, users, pivotSteps - 1).pivotal[0]).toBe(true);
    expect(answer(source, users, pivotSteps - 1).surely[0]).toBe(false);
  });

  test.each([
    ["approvers.count() >= 30", MANY],
    [`${OPS}.count() >= 3`, MANY],
  ])("are a limit. One less, and it is not sure that a vote decides %s", (source, users) => {
    const steps = Number(answer(source, users).surely[1]);
    expect(answer(source, users, steps).surely[0]).toBe(true);
    expect(answer(source, users, steps - 1).surely[0]).toBe(false);
    expect(answer(source, users, steps - 1).pivotal[0]).toBe(true);
  });

  test("are a limit for each set of votes that is tried", () => {
    const { reachable, pivotal, surely } = answer(PAIR, FEW, 10);
    expect([reachable[0], pivotal[0], surely[0]]).toEqual([true, true, false]);
  });

  test("stop soon after the limit", () => {
    for (const source of [PAIR, ordered("eve"), `${PAIR} && approvers.count() == 40`]) {
      const { reachable, pivotal } = answer(source, MANY, 1000);
      expect(Math.max(Number(reachable[1]), Number(pivotal[1]))).toBeLessThan(1100);
    }
    const { reachable } = answer("approvers.count() > 60", MANY, 20);
    expect(reachable[1]).toBeLessThan(40);
  });

  test("are not taken again for the same rule and the same votes", () => {
    const electorate = newElectorate(MANY);
    const rule = compile("consensus", `${OPS}.count() >= 3`);
    const vote = firstOf(MANY);
    const spent = (ask: () => unknown) => {
      const before = electorate.work.steps;
      ask();
      return electorate.work.steps - before;
    };
    const first = spent(() => isReachable(rule, [vote], electorate));
    const second = spent(() => isReachable(rule, [vote], electorate));
    // Six for each user, and one for each tag that is compared. What is left is the search.
    expect(first - second).toBe(60 * 6 + 5);
    expect(spent(() => isPivotal(rule, [vote], electorate))).toBeLessThan(10);
    expect(spent(() => sortOf(rule, vote, electorate))).toBe(0);
  });
});

describe("a rule that errs with the votes of some", () => {
  const rule = compile("consensus", "approvers.filter(u, u.tags[0] == 'ops').count() >= 1");
  const [ann, bob, cid, dan] = FEW as [User, User, User, User];

  test("is not made true by votes with which it errs, nor together with them", () => {
    const reaches = (...users: User[]) =>
      isReachable(
        rule,
        users.map((user) => ({ user })),
        newElectorate(FEW),
      );
    expect([ann, bob, cid].map((user) => reaches(user))).toEqual([true, true, true]);
    expect(reaches(dan)).toBe(false);
    expect([reaches(ann, dan), reaches(dan, ann)]).toEqual([false, false]);
  });

  test("is decided only by votes that it counts", () => {
    for (const is of [isPivotal, isSurelyPivotal]) {
      const voters = FEW.filter((user) => is(rule, [{ user }], newElectorate(FEW)));
      expect(voters).toEqual([ann, bob]);
    }
  });

  test("can be decided by any of the votes that a user could give", () => {
    const passkeys = compile("consensus", "credentials.filter(c, c.type == 'PASS').count() >= 2");
    const [byKey, byPasskey] = possibleVotes(MANY[1] as User) as [Vote, Vote];
    for (const is of [isPivotal, isSurelyPivotal]) {
      const ask = (...votes: Vote[]) => is(passkeys, votes, newElectorate(MANY));
      expect([ask(), ask(byKey), ask(byPasskey), ask(byKey, byPasskey)]).toEqual([
        ...[false, false, true, true],
      ]);
    }
  });

  test("reads credentials only if it names them", () => {
    const reads = (source: string) => readsCredentials(compile("consensus", source));
    expect(reads("approvers.all(u, u.id == '') || credentials.count() > 1")).toBe(true);
    expect(reads("approvers.all(u, u.id == '') && approvers.count() > 1")).toBe(false);
  });
});

describe("an electorate", () => {
  test("keeps apart the credentials with which a user could vote", () => {
    const electorate = newElectorate(MANY);
    const [user] = MANY.slice(1) as [User];
    const [byKey, byPasskey] = possibleVotes(user) as [Vote, Vote];
    const ask = (source: string, vote: Vote) =>
      isReachable(compile("consensus", `${source} && approvers.count() == 1`), [vote], electorate);
    const passkey = "credentials.any(c, c.type == 'PASS')";
    // The first question does not depend on credentials, and must not leave any behind.
    expect(ask("approvers.all(u, u.id == 'u1')", byPasskey)).toBe(true);
    expect(ask(passkey, { user })).toBe(false);
    expect(ask(passkey, byKey)).toBe(false);
    expect(ask(passkey, byPasskey)).toBe(true);
    expect(ask("credentials.count() == 0", { user })).toBe(true);
  });

  test("sorts votes by user and credential for a rule about their order", () => {
    const rule = compile("consensus", "approvers[0].id == 'u1'");
    const electorate = newElectorate(MANY);
    const users = MANY.slice(1, 3);
    const votes = users.flatMap((user) => [{ user }, ...possibleVotes(user)]);
    expect(new Set(votes.map((vote) => sortOf(rule, vote, electorate))).size).toBe(6);
    const [user] = users as [User];
    expect(sortOf(rule, { user }, electorate)).toBe(sortOf(rule, { user }, electorate));
  });

  test("sorts votes with which a rule errs apart from those that it counts or does not count", () => {
    const rule = compile("consensus", "approvers.filter(u, u.tags[0] == 'ops').count() >= 1");
    const sorts = FEW.map((user) => sortOf(rule, { user }, newElectorate(FEW)));
    expect(sorts).toEqual(["1", "1", "0", "error"]);
  });

  test("shows each user and credential to all rules as the same value", () => {
    const shown = new Map();
    const [vote] = possibleVotes(MANY[1] as User);
    const votes = [vote as Vote];
    const [a, b] = [consensusEnvironment(votes, shown), consensusEnvironment(votes, shown)];
    expect(a).toEqual(b);
    for (const root of ["approvers", "credentials"]) {
      const [one, other] = [a, b].map(({ entries }) => Object(entries[root]).items[0]);
      expect(one).toBe(other);
    }
  });

  test("shows votes as an environment made of them would", () => {
    const votes = MANY.slice(0, 2).flatMap(possibleVotes);
    const { kind, entries } = makeEnvironment({
      approvers: votes.map(({ user: { credentials: _, ...user } }) => user),
      credentials: votes.flatMap(({ credential }) => credential ?? []),
    });
    expect(consensusEnvironment(votes)).toEqual({ kind, entries });
    expect(consensusEnvironment(FEW.map((user) => ({ user })))).toMatchObject({
      entries: { credentials: { kind: "list", items: [] } },
    });
  });
});
