import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { frozenKeyring } from "../records/frozen.testing.ts";
import type { OrganizationDocument } from "../records/organization.ts";
import { deriveCodeHash } from "../vault/ids.ts";
import { chanceOf } from "./one-time-codes.ts";
import { codesFor, createWaitingCodes } from "./waiting-codes.ts";

const random = (length: number) => new Uint8Array(randomBytes(length));
const MINUTE = 60_000;

function create({ max = 1e6 } = {}) {
  const codes = createWaitingCodes({ max, random });
  const placeOf = (otpId: string, organizationId = "org", familyId = organizationId) => {
    return { organizationId, familyId, otpId };
  };
  return {
    codes,
    open(
      otpId: string,
      { organizationId = "org", familyId = "", contact = "ada", nowMs = 0, chance = 1e-6 } = {},
    ) {
      const place = placeOf(otpId, organizationId, familyId || undefined);
      const expiresAtMs = nowMs + 5 * MINUTE;
      return codes.open(place, { contact, expiresAtMs, chance }, nowMs) !== null;
    },
    secret: (otpId: string, purpose = "code") => codes.secret(placeOf(otpId), purpose),
    attempt: (
      otpId: string,
      fingerprint: string,
      { right = false, nowMs = 0, organizationId = "org" } = {},
    ) =>
      codes.attempt(placeOf(otpId, organizationId), { fingerprint, nowMs, isRight: () => right }),
  };
}

test("a code is used once, and the request that used it may be repeated", () => {
  const { open, attempt } = create();
  open("a");
  expect(attempt("a", "1", { right: true, nowMs: 5 })).toEqual({ kind: "right", atMs: 5 });
  expect(attempt("a", "1", { right: true, nowMs: 9 })).toEqual({ kind: "right", atMs: 5 });
  expect(attempt("a", "1", { nowMs: 9 })).toEqual({ kind: "right", atMs: 5 });
  expect(attempt("a", "2", { right: true })).toEqual({ kind: "used" });
});

test("three wrong attempts lock a code, and a repeated one does not count again", () => {
  const { open, attempt } = create();
  open("a");
  expect(attempt("a", "1")).toEqual({ kind: "wrong", attemptsLeft: 2 });
  for (let i = 0; i < 5; i++) expect(attempt("a", "1")).toEqual({ kind: "wrong", attemptsLeft: 2 });
  expect(attempt("a", "2")).toEqual({ kind: "wrong", attemptsLeft: 1 });
  expect(attempt("a", "3")).toEqual({ kind: "wrong", attemptsLeft: 0 });
  expect(attempt("a", "4", { right: true })).toEqual({ kind: "locked" });
});

test("a code that is opened again keeps its secret and its attempts", () => {
  const { open, attempt, secret } = create();
  open("a");
  const before = secret("a");
  for (const fingerprint of ["1", "2", "3"]) attempt("a", fingerprint);
  expect(open("a", { nowMs: MINUTE })).toBe(true);
  expect(secret("a")).toEqual(before);
  expect(secret("a", "target key")).not.toEqual(before);
  expect(attempt("a", "4", { right: true })).toEqual({ kind: "locked" });
});

test("a code that is opened again does not last longer, nor does any last longer than its attempts", () => {
  const { codes } = create();
  const openFor = (otpId: string, minutes: number, nowMs: number) =>
    codes.open(
      { organizationId: "org", familyId: "org", otpId },
      { contact: "ada", expiresAtMs: nowMs + minutes * MINUTE, chance: 1e-6 },
      nowMs,
    );
  const first = { sentAtMs: 0, expiresAtMs: MINUTE };
  expect(openFor("a", 1, 0)).toEqual(first);
  expect(openFor("a", 1, 2 * MINUTE)).toEqual(first);
  expect(openFor("b", 60, 2 * MINUTE)?.expiresAtMs).toBe(12 * MINUTE);
  // It was forgotten, so this is another code.
  expect(openFor("a", 1, 10 * MINUTE)).toEqual({
    sentAtMs: 10 * MINUTE,
    expiresAtMs: 11 * MINUTE,
  });
});

test("many codes of a contact do not give many attempts", () => {
  const { open, attempt } = create();
  for (let i = 0; i < 20; i++) expect(open(`code ${i}`)).toBe(true);
  for (let i = 0; i < 15; i++) {
    const outcome = attempt(`code ${i}`, `wrong ${i}`);
    expect(outcome).toEqual({ kind: "wrong", attemptsLeft: 2 });
  }
  expect(attempt("code 15", "right", { right: true })).toEqual({ kind: "locked" });
  expect(open("another")).toBe(false);
  // Another contact, and the same one in another organization, are not concerned.
  expect(open("b", { contact: "grace" })).toBe(true);
  expect(open("c", { organizationId: "other" })).toBe(true);
  // It ends when the last code of the contact is forgotten.
  expect(open("later", { nowMs: 10 * MINUTE })).toBe(true);
});

test("guesses at codes that nobody guesses lock no contact, and count for what they are worth", () => {
  const { open, attempt } = create();
  let nowMs = 0;
  let number = 0;
  const guess = (length: number, isAlphanumeric: boolean) => {
    const otpId = `code ${number++}`;
    if (!open(otpId, { nowMs, chance: chanceOf({ length, isAlphanumeric }) })) return false;
    for (let i = 0; i < 3; i++) attempt(otpId, `${otpId} ${i}`, { nowMs });
    return true;
  };
  for (let i = 0; i < 10_000; i++) {
    expect(guess(9, true)).toBe(true);
    nowMs += 2 * MINUTE;
  }
  // Ten guesses at seven digits are one at six: fourteen of these leave room for ten of those.
  for (let i = 0; i < 14; i++) {
    expect(guess(7, false) && guess(6, false)).toBe(true);
    nowMs += 10 * MINUTE;
  }
  nowMs += 10 * MINUTE;
  expect(open("own", { nowMs, chance: chanceOf({ length: 9, isAlphanumeric: true }) })).toBe(false);
});

test("a few guesses at long codes are forgotten with the last code, those at short ones are not", () => {
  const { open, attempt } = create({ max: 4 * 1280 });
  for (const [contact, length] of [
    ["ada", 9],
    ["grace", 6],
  ] as const) {
    open(contact, { contact, chance: chanceOf({ length, isAlphanumeric: length > 6 }) });
    attempt(contact, `wrong ${contact}`);
  }
  // Half of four places are a family's, and Grace's is the only one that is taken.
  const later = { nowMs: 20 * MINUTE };
  expect(open("one", { ...later, contact: "one" })).toBe(true);
  expect(open("two", { ...later, contact: "two" })).toBe(false);
});

test("wrong attempts count for a day after the last code, and until a right one", () => {
  const { open, attempt } = create();
  let nowMs = 0;
  const guess = (otpId: string, times: number) => {
    expect(open(otpId, { nowMs })).toBe(true);
    for (let i = 0; i < times; i++) attempt(otpId, `${otpId} ${i}`, { nowMs });
    nowMs += 10 * MINUTE;
  };
  for (let i = 0; i < 10; i++) guess(`a ${i}`, 3);
  // A right code shows that its owner is there.
  expect(open("own", { nowMs })).toBe(true);
  expect(attempt("own", "own", { right: true, nowMs })).toMatchObject({ kind: "right" });
  for (let i = 0; i < 14; i++) guess(`b ${i}`, 3);
  nowMs += 23 * 60 * MINUTE;
  guess("after a pause", 2);
  expect(open("last", { nowMs })).toBe(true);
  expect(attempt("last", "45th", { nowMs })).toEqual({ kind: "wrong", attemptsLeft: 2 });
  expect(attempt("last", "right", { right: true, nowMs })).toEqual({ kind: "locked" });
  expect(open("locked", { nowMs: nowMs + 24 * 60 * MINUTE })).toBe(false);
  expect(open("others", { contact: "grace", nowMs: nowMs + 24 * 60 * MINUTE })).toBe(true);
  expect(open("free", { nowMs: nowMs + (24 * 60 + 10) * MINUTE })).toBe(true);
});

test("contacts whose wrong attempts are remembered take places of their family alone", () => {
  const { open, attempt } = create({ max: 8 * 1280 });
  for (let i = 0; i < 4; i++) {
    open(`${i}`, { contact: `${i}` });
    attempt(`${i}`, "wrong");
  }
  const later = 10 * MINUTE;
  expect(open("new contact", { contact: "new", nowMs: later })).toBe(false);
  expect(open("the same", { contact: "0", nowMs: later })).toBe(true);
  for (const name of ["b", "c"]) {
    expect(open(name, { organizationId: "b", contact: name, nowMs: later })).toBe(true);
  }
  expect(open("after a day", { contact: "new", nowMs: later + 24 * 60 * MINUTE })).toBe(true);
});

test("a code is forgotten after ten minutes, whatever it was sent for", () => {
  const { open, attempt, secret } = create();
  open("a");
  const before = secret("a");
  expect(attempt("a", "1", { right: true, nowMs: 10 * MINUTE })).toEqual({ kind: "unknown" });
  expect(secret("a")).toBeNull();
  open("a", { nowMs: 10 * MINUTE });
  expect(secret("a")).not.toEqual(before);
});

test("a full memory gives no new codes, and forgets nothing", () => {
  const { open, attempt } = create({ max: 8 * 1280 });
  const fill = (organizationId: string) => {
    let opened = 0;
    while (open(`${organizationId} ${opened}`, { organizationId })) opened++;
    return opened;
  };
  expect(["org", "b", "c", "d", "e"].map(fill)).toEqual([4, 2, 1, 1, 0]);
  expect(attempt("org 0", "1", { right: true })).toEqual({ kind: "right", atMs: 0 });
  expect(open("later", { nowMs: 10 * MINUTE })).toBe(true);
});

test("a tenant with many sub-organizations leaves room for the codes of others", () => {
  const { open } = create({ max: 1000 * 1280 });
  const counts = Array.from({ length: 50 }, (_, number) => {
    const place = { organizationId: `sub ${number}`, familyId: "tenant" };
    let opened = 0;
    while (open(`${number} ${opened}`, { ...place, contact: `${number} ${opened}` })) opened++;
    return opened;
  });
  // No user of a sub-organization keeps the codes of all others from being sent.
  expect(counts[0]).toBe(250);
  expect(counts[1]).toBe(125);
  expect(counts.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(500);
  for (let i = 0; i < 250; i++) expect(open(`other ${i}`, { organizationId: "other" })).toBe(true);
});

test("codes that were not guessed leave their whole room when they are forgotten", () => {
  const { open } = create({ max: 8 * 1280 });
  const fill = (name: string, nowMs: number) => {
    let opened = 0;
    while (open(`${name} ${opened}`, { contact: `${name} ${opened}`, nowMs })) opened++;
    return opened;
  };
  for (const time of [0, 10, 20]) expect(fill(`at ${time}`, time * MINUTE)).toBe(4);
});

test("contacts that are remembered leave their whole room after a day, once", () => {
  const { open, attempt } = create({ max: 8 * 1280 });
  for (let i = 0; i < 4; i++) {
    open(`${i}`, { contact: `${i}` });
    attempt(`${i}`, "wrong");
  }
  let nowMs = (24 * 60 + 20) * MINUTE;
  for (let round = 0; round < 3; round++) {
    let opened = 0;
    while (open(`${round} ${opened}`, { contact: `${round} ${opened}`, nowMs })) opened++;
    expect(opened).toBe(4);
    nowMs += 10 * MINUTE;
  }
});

test("a contact that asks in vain while the memory is full stays remembered, in its place", () => {
  const { open, attempt } = create({ max: 8 * 1280 });
  for (let i = 0; i < 4; i++) {
    open(`${i}`, { contact: `${i}` });
    attempt(`${i}`, "wrong");
  }
  const nowMs = 10 * MINUTE;
  const fill = (organizationId: string) => {
    let opened = 0;
    while (open(`${organizationId} ${opened}`, { organizationId, nowMs })) opened++;
    return opened;
  };
  expect(["b", "c", "d"].map(fill)).toEqual([2, 1, 1]);
  for (let i = 0; i < 3; i++) expect(open("again", { contact: "0", nowMs })).toBe(false);
  // Otherwise, its place would be free for somebody else.
  expect(open("other", { organizationId: "e", nowMs })).toBe(false);
  expect(open("again", { contact: "0", nowMs: 2 * nowMs })).toBe(true);
});

test("asking in vain for another code does not take back wrong attempts at those that wait", () => {
  const { open, attempt } = create({ max: 12 * 1280 });
  for (let i = 0; i < 6; i++) expect(open(`${i}`)).toBe(true);
  const guess = (otpId: string) => {
    for (let n = 0; n < 3; n++) attempt(otpId, `${otpId} ${n}`);
  };
  for (const otpId of ["0", "1", "2", "3"]) guess(otpId);
  expect(open("in vain")).toBe(false);
  guess("4");
  expect(attempt("5", "right", { right: true })).toEqual({ kind: "locked" });
});

test("a contact stays locked as long as one of its codes is kept, whenever the others were sent", () => {
  const { open, attempt } = create();
  for (let i = 0; i < 5; i++) open(`early ${i}`);
  open("late", { nowMs: 5 * MINUTE });
  for (let i = 0; i < 5; i++) {
    for (let n = 0; n < 3; n++) attempt(`early ${i}`, `${i} ${n}`, { nowMs: 5 * MINUTE });
  }
  const nowMs = 12 * MINUTE;
  expect(attempt("late", "right", { right: true, nowMs })).toEqual({ kind: "locked" });
  expect(open("another", { nowMs })).toBe(false);
  expect(open("another", { nowMs: 15 * MINUTE })).toBe(true);
});

test("sub-organizations share the places of their own family, and of no other", () => {
  const { open } = create({ max: 8 * 1280 });
  const fill = (organizationId: string, familyId: string) => {
    let opened = 0;
    while (open(`${opened}`, { organizationId, familyId, contact: `${opened}` })) opened++;
    return opened;
  };
  expect([fill("sub of a", "a"), fill("sub of b", "b")]).toEqual([2, 2]);
  // The parent's own codes count with those of its sub-organizations.
  expect(fill("a", "a")).toBe(1);
});

test("a request has the codes of its own organization, and of its parent's family", () => {
  const nowMs = 7;
  const waiting = createWaitingCodes({ max: 8 * 1280, random });
  const codesOf = (
    organizationId: string,
    parentOrganizationId: string | null,
    fingerprint = "1",
  ) =>
    codesFor(waiting, {
      keyring: frozenKeyring,
      // Only these two are read.
      document: { organizationId, parentOrganizationId } as OrganizationDocument,
      fingerprint,
      nowMs,
    });
  const own = codesOf("sub", "parent");
  expect(own.run).toBe(waiting.run);
  expect(own.open("otp", { contact: "ada", expiresAtMs: 100, chance: 1e-6 })?.expiresAtMs).toBe(
    100,
  );
  const place = { organizationId: "sub", familyId: "parent", otpId: "otp" };
  expect(own.secret("otp", "code")).toEqual(waiting.secret(place, "code"));
  expect(codesOf("parent", null).secret("otp", "code")).toBeNull();
  expect(own.attempt("otp", () => false)).toEqual({ kind: "wrong", attemptsLeft: 2 });
  expect(own.attempt("otp", () => true)).toEqual({ kind: "wrong", attemptsLeft: 2 });
  const other = codesOf("sub", "parent", "2");
  expect(other.attempt("otp", () => true)).toEqual({ kind: "right", atMs: nowMs });
  expect(own.attempt("otp", () => true)).toEqual({ kind: "used" });
  const otp = { otpId: "otp", expiresAtMs: 100 };
  expect(own.hash(otp, "123")).toEqual(
    deriveCodeHash(frozenKeyring, { ...otp, organizationId: "sub" }, "123"),
  );
  // One of the parent counts with those of the sub-organization: half of all is theirs.
  const parent = codesOf("parent", null);
  let opened = 0;
  const sent = { expiresAtMs: 100, chance: 1e-6 };
  while (parent.open(`${opened}`, { ...sent, contact: `${opened}` }) !== null) opened++;
  expect(opened).toBe(3);
});

test("a code belongs to its organization, and to one run", () => {
  const { open, attempt, codes } = create();
  open("a");
  expect(attempt("a", "1", { right: true, organizationId: "other" })).toEqual({ kind: "unknown" });
  expect(create().codes.run).not.toBe(codes.run);
});
