import { expect, test } from "vitest";
import type { FamilySignup, Owner } from "../fairness/families.ts";
import { createReaderTurns } from "./reader-turns.ts";

const soon = () => new Promise((resolve) => setImmediate(resolve));
const at = (network: string, site: string | null = null): FamilySignup => ({ network, site });

/** Nobody rests, unless a pace is given. */
const never = { perSecond: 1, atOnce: 1_000_000 };

test("families that signed up have two answers made at once, and others one each beside them", async () => {
  const turns = createReaderTurns({ family: never, signups: never });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (familyId: string, signup: FamilySignup | null = null) =>
    turns.run({ organizationId: familyId, familyId, signup }, () => {
      begun.push(familyId);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const asked = [1, 2, 3, 4].map((i) => run(`stranger ${i}`, at("one")));
  asked.push(run("elsewhere", at("two")), run("own"), run("another"));
  await soon();
  expect(begun.toSorted()).toEqual(["another", "own", "stranger 1", "stranger 2"]);
  while (ends.length > 0) {
    ends.shift()?.();
    await soon();
  }
  await Promise.all(asked);
  // Those who signed up elsewhere do not wait for all of one place.
  expect(begun.slice(4)).toEqual(["stranger 3", "elsewhere", "stranger 4"]);
});

test.each([
  ["of one network", at("one"), at("one")],
  ["of two networks of an IPv6 site", at("one", "site"), at("two", "site")],
])(
  "applications %s rest together, and neither their users nor others do",
  async (_, one, other) => {
    const family = { perSecond: 100, atOnce: 20 };
    const work = worker(createReaderTurns({ family, signups: never }));
    await work({ organizationId: "ada", familyId: "ada", signup: one }, 60);
    const waitedMs = await Promise.all([
      work({ organizationId: "bob", familyId: "bob", signup: other }),
      work({ organizationId: "user", familyId: "bob", signup: other }),
      work({ organizationId: "eve", familyId: "eve", signup: at("elsewhere") }),
      work({ organizationId: "own", familyId: "own", signup: null }),
    ]);
    expect(waitedMs[0]).toBeGreaterThan(300);
    expect(Math.max(...waitedMs.slice(1))).toBeLessThan(200);
  },
);

test("all that signed up rest together, and the operator's own do not", async () => {
  const family = { perSecond: 1, atOnce: 1000 };
  const signups = { perSecond: 1000, atOnce: 20 };
  const work = worker(createReaderTurns({ family, signups }));
  const bob = { organizationId: "bob", familyId: "bob", signup: at("two") };
  await work(bob, 200);
  await work({ organizationId: "user", familyId: "ada", signup: at("one") }, 400);
  const waitedMs = await Promise.all([work(bob), work({ organizationId: "own", familyId: "own" })]);
  expect(waitedMs[0]).toBeGreaterThan(400);
  expect(waitedMs[1]).toBeLessThan(200);
});

test("a family that used little does not rest for others that signed up, and no other rests long", async () => {
  const family = { perSecond: 1, atOnce: 1000 };
  const signups = { perSecond: 1000, atOnce: 20, longestMs: 600 };
  const work = worker(createReaderTurns({ family, signups }));
  const bob = { organizationId: "bob", familyId: "bob", signup: at("two") };
  await work(bob, 200);
  await work({ organizationId: "ada", familyId: "ada", signup: at("one") }, 60_000);
  const startedAt = performance.now();
  const resting = work(bob);
  const little = ["eve", "user"].map((organizationId) =>
    work({ organizationId, familyId: "eve", signup: at("two") }, 1),
  );
  expect(Math.max(...(await Promise.all(little)))).toBeLessThan(200);
  await resting;
  const restedMs = performance.now() - startedAt;
  expect(restedMs).toBeGreaterThan(400);
  expect(restedMs).toBeLessThan(2000);
});

/** Returns how long it waited. */
function worker(turns: ReturnType<typeof createReaderTurns>) {
  return async (owner: Owner, ms = 0) => {
    const startedAt = performance.now();
    return turns.run(owner, async ({ charge }) => {
      charge(ms);
      return performance.now() - startedAt;
    });
  };
}
