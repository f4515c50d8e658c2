import { expect, test } from "vitest";
import { createFamilyTurns, type Turn } from "./family-turns.ts";

const soon = () => new Promise((resolve) => setImmediate(resolve));

/** Runs work that ends by a call, and notes in which order it was begun. */
function open(atOnce: number) {
  const turns = createFamilyTurns(atOnce);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (organizationId: string, familyId = "ada") =>
    turns.run({ organizationId, familyId }, () => {
      begun.push(organizationId);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const endAll = async () => {
    await soon();
    while (ends.length > 0) {
      ends.shift()?.();
      await soon();
    }
  };
  return { turns, begun, run, endAll };
}

test("sub-organizations take turns, however much each asks for", async () => {
  const { begun, run, endAll } = open(1);
  const asked = ["one", "one", "one", "one", "two", "two", "three"].map((id) => run(id));
  await endAll();
  await Promise.all(asked);
  expect(begun).toEqual(["one", "one", "two", "three", "one", "two", "one"]);
});

test("the application alternates with all its sub-organizations together", async () => {
  const { begun, run, endAll } = open(1);
  const users = ["one", "two", "three", "four"].map((id) => run(id));
  const own = [1, 2].map(() => run("ada"));
  await endAll();
  await Promise.all([...users, ...own]);
  expect(begun).toEqual(["one", "two", "ada", "three", "ada", "four"]);
});

test("families do not wait for each other", async () => {
  const { begun, run, endAll } = open(2);
  const asked = [run("one"), run("two"), run("three"), run("four", "grace")];
  await soon();
  expect(begun).toEqual(["one", "two", "four"]);
  await endAll();
  await Promise.all(asked);
});

test("a place that is given back is another's meanwhile", async () => {
  const { turns, begun, run, endAll } = open(1);
  let turn: Turn | undefined;
  let end = () => {};
  const waits = new Promise<void>((resolve) => {
    end = resolve;
  });
  const first = turns.run({ organizationId: "one", familyId: "ada" }, async (mine) => {
    turn = mine;
    turn.leave();
    turn.leave();
    await waits;
    await turn.enter();
    await turn.enter();
    begun.push("one again");
  });
  const others = [run("two"), run("three")];
  await soon();
  expect(begun).toEqual(["two"]);
  end();
  await soon();
  expect(begun).toEqual(["two"]);
  await endAll();
  await Promise.all([first, ...others]);
  expect(begun).toEqual(["two", "three", "one again"]);
});

test("a place is given back when the work fails", async () => {
  const { turns } = open(1);
  const fail = () => Promise.reject(new Error("it failed"));
  for (let i = 0; i < 3; i++) {
    const owner = { organizationId: "one", familyId: "ada" };
    await expect(turns.run(owner, fail)).rejects.toThrow("it failed");
  }
});

test("a group that has worked much rests, and its application and other families do not", async () => {
  const turns = createFamilyTurns(1, { perSecond: 100, atOnce: 20 });
  const begun: string[] = [];
  const work = (organizationId: string, familyId = "ada") =>
    turns.run({ organizationId, familyId }, async ({ charge }) => {
      begun.push(organizationId);
      charge(50);
    });
  await work("one");
  const startedAt = performance.now();
  const others = [work("ada"), work("two", "grace")];
  const resting = [work("one"), work("two")];
  await Promise.all(others);
  expect(begun).toEqual(["one", "ada", "two"]);
  await Promise.all(resting);
  expect(begun).toEqual(["one", "ada", "two", "one", "two"]);
  // A tenth of the time, less what is allowed at once: 300 ms, and 500 ms after the next.
  expect(performance.now() - startedAt).toBeGreaterThan(700);
});

test("an application does not wait for the rest of its users, who came before", async () => {
  const turns = createFamilyTurns(1, { perSecond: 100, atOnce: 20 });
  const work = (organizationId: string, ms: number) =>
    turns.run({ organizationId, familyId: "ada" }, async ({ charge }) => charge(ms));
  await Promise.all([work("one", 1020), work("ada", 30)]);
  const startedAt = performance.now();
  void work("one", 0);
  await soon();
  await work("ada", 0);
  // A tenth of 10 ms beyond what is allowed at once, and not the ten seconds of the other.
  expect(performance.now() - startedAt).toBeLessThan(1000);
});

test("an answer that others kept waiting costs only its own work", async () => {
  const turns = createFamilyTurns(1, { perSecond: 10, atOnce: 10 });
  const startedAt = performance.now();
  for (let i = 0; i < 3; i++) {
    await turns.run({ organizationId: "ada", familyId: "ada" }, async ({ charge }) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      charge(1);
    });
  }
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

test("who does not rest passes those of its line who do, and waits for a place like them", async () => {
  const turns = createFamilyTurns(1, { perSecond: 100, atOnce: 20 });
  const begun: string[] = [];
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const owner = { organizationId: "one", familyId: "ada" };
  const run = (name: string, isRestless: boolean, until = Promise.resolve()) =>
    turns.run(
      owner,
      async () => {
        begun.push(name);
        await until;
      },
      { isRestless },
    );
  await turns.run(owner, async ({ charge }) => charge(60));
  const startedAt = performance.now();
  const all = [run("at once", true, held), run("resting", false), run("restless", true)];
  await soon();
  expect(begun).toEqual(["at once"]);
  end();
  await soon();
  expect(begun).toEqual(["at once", "restless"]);
  await Promise.all(all);
  expect(begun).toEqual(["at once", "restless", "resting"]);
  expect(performance.now() - startedAt).toBeGreaterThan(300);
});

test("a request that waits too long is refused, and the others are served as before", async () => {
  const turns = createFamilyTurns(1, undefined, 50);
  const owner = { organizationId: "one", familyId: "ada" };
  const ended = Promise.withResolvers<void>();
  const first = turns.run(owner, () => ended.promise);
  const late = { code: "RESOURCE_EXHAUSTED", reason: "RATE_LIMITED" };
  await expect(turns.run(owner, async () => {})).rejects.toMatchObject(late);
  const next = turns.run(owner, async () => "in turn");
  ended.resolve();
  await first;
  expect(await next).toBe("in turn");
});

test("a request that would rest too long is refused", async () => {
  const turns = createFamilyTurns(1, { perSecond: 1, atOnce: 1 }, 50);
  const owner = { organizationId: "one", familyId: "ada" };
  await turns.run(owner, async ({ charge }) => charge(1000));
  await expect(turns.run(owner, async () => {})).rejects.toMatchObject({ reason: "RATE_LIMITED" });
});
