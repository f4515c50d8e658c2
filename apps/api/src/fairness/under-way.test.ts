import { expect, test } from "vitest";
import type { Owner } from "./families.ts";
import { createUnderWay, type Held } from "./under-way.ts";

const limits = {
  organization: 40,
  subOrganization: 32,
  subOrganizations: 64,
  total: 128,
  waiting: { organization: 2, subOrganization: 1, subOrganizations: 2, total: 8 },
  waitMs: 50,
  patienceMs: 20,
};
const patient = { ...limits, waitMs: 5000 };

const application = (id: string): Owner => ({ organizationId: id, familyId: id });
const user = (id: string, familyId = "ada"): Owner => ({ organizationId: id, familyId });
const refused = { code: "RESOURCE_EXHAUSTED", reason: "RATE_LIMITED" };

test("an organization that holds its share waits until some of it is given back", async () => {
  const underWay = createUnderWay(patient);
  const first = await underWay.take(application("ada"), 40);
  expect(underWay.tryTake(application("ada"), 1)).toBeNull();
  let isAdmitted = false;
  const second = underWay.take(application("ada"), 20).then((held) => {
    isAdmitted = true;
    return held;
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isAdmitted).toBe(false);
  first.resize(15);
  (await second).release();
  first.release();
  expect(underWay.total).toBe(0);
});

test("a request that waits for too long is refused, and so is one too many that would wait", async () => {
  const underWay = createUnderWay(limits);
  const held = await underWay.take(application("ada"), 40);
  const waiting = [1, 2].map(() => underWay.take(application("ada"), 10));
  await expect(underWay.take(application("ada"), 10)).rejects.toMatchObject(refused);
  for (const each of waiting) await expect(each).rejects.toMatchObject(refused);
  held.release();
  expect(underWay.total).toBe(0);
});

test("sub-organizations that fill their room keep out neither the application nor one that holds little", async () => {
  const underWay = createUnderWay({ ...limits, total: 512 });
  for (const id of ["one", "two"]) await underWay.take(user(id), 32);
  await expect(underWay.take(user("one"), 1)).rejects.toMatchObject(refused);
  await underWay.take(user("three"), 2);
  await underWay.take(user("three"), 60);
  await expect(underWay.take(user("three"), 1)).rejects.toMatchObject(refused);
  // Twice as much is the most that all of them get.
  await underWay.take(user("four"), 10);
  await expect(underWay.take(user("five"), 1)).rejects.toMatchObject(refused);
  await underWay.take(application("ada"), 30);
  await underWay.take(application("ada"), 30);
});

test("those who wait in many sub-organizations leave a place to wait for one more", async () => {
  const underWay = createUnderWay(limits);
  const all = ["one", "two", "three"];
  for (const id of all) await underWay.take(user(id), 32);
  const waiting = all.map((id) => underWay.take(user(id), 1));
  await expect(underWay.take(user("one"), 1)).rejects.toMatchObject(refused);
  for (const each of waiting) await expect(each).rejects.toMatchObject(refused);
});

test("families that fill the room keep out no family that holds little", async () => {
  const underWay = createUnderWay(limits);
  for (const family of ["ada", "grace", "alan", "edsger"]) {
    await underWay.take(application(family), 40);
  }
  const another = underWay.take(user("another", "tony"), 96);
  await expect(underWay.take(application("alan"), 10)).rejects.toMatchObject(refused);
  await another;
  await expect(underWay.take(application("barbara"), 10)).rejects.toMatchObject(refused);
});

test("one request fits, however large it is", async () => {
  const underWay = createUnderWay(limits);
  const held = await underWay.take(application("ada"), 1000);
  expect(underWay.heldBy("ada")).toBe(1000);
  held.release();
  held.release();
  held.resize(10);
  expect(underWay.heldBy("ada")).toBe(0);
});

test("a request takes more only while there is room for it", async () => {
  const underWay = createUnderWay(limits);
  const small = await underWay.take(user("one"), 1);
  const other = await underWay.take(user("one"), 31);
  const answer = await underWay.take(user("two"), 2);
  expect(answer.tryResize(20)).toBe(true);
  expect(small.tryResize(2)).toBe(true);
  other.resize(32);
  expect(small.tryResize(10)).toBe(false);
  expect(underWay.heldBy("one")).toBe(34);
  other.release();
  expect(small.tryResize(10)).toBe(true);
});

/** An answer that leaves with so many bytes a second. */
function leave(held: Held, bytesPerSecond: number) {
  const startedAt = performance.now();
  const connection = {
    isCut: false,
    sent: () => ((performance.now() - startedAt) / 1000) * bytesPerSecond,
    cut() {
      connection.isCut = true;
    },
  };
  held.releaseWhenSent(() => connection);
  return connection;
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 200));

test("a reader who takes little is cut when others of the organization wait, and no other one is", async () => {
  const underWay = createUnderWay(patient);
  const fast = leave(await underWay.take(user("one"), 20), 1e6);
  const slow = leave(await underWay.take(user("one"), 20), 1000);
  const slowElsewhere = leave(await underWay.take(user("two"), 20), 10);
  await soon();
  expect([fast.isCut, slow.isCut]).toEqual([false, false]);
  (await underWay.take(user("one"), 1)).release();
  expect([fast.isCut, slow.isCut, slowElsewhere.isCut]).toEqual([false, true, false]);
  expect(underWay.total).toBe(40);
});

test("of readers who fill all that others could get, the slowest is cut, however fast it is", async () => {
  const underWay = createUnderWay(patient);
  const readers = [];
  for (const [index, id] of ["one", "two", "three", "four"].entries()) {
    readers.push(leave(await underWay.take(user(id), 32), 1e6 * (4 - index)));
  }
  await underWay.take(user("five"), 1);
  expect(readers.map(({ isCut }) => isCut)).toEqual([false, false, false, true]);
});
