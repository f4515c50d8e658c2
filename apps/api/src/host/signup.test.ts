import type { ApiError } from "@keyhearth/engine/errors";
import { expect, test } from "vitest";
import { admitSignup, assertOpen, createSignup, type Signup } from "./signup.ts";

const hour = 3600_000;

type Refusal = ApiError & { retryAfterSeconds?: number };

function errorOf(work: () => void): Refusal {
  try {
    work();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error("nothing was refused");
}

const verified = async (charge: () => void) => charge();

/** Null if the organization may be created. */
async function refusalOf(
  signup: Signup,
  address: string,
  nowMs: number,
  found: (charge: () => void) => Promise<void> = verified,
): Promise<Refusal | null> {
  return admitSignup(signup, { address, now: () => nowMs }, found).then(
    () => null,
    (error) => error,
  );
}

test("a closed service refuses before anything is read", () => {
  const { code, reason } = errorOf(() =>
    assertOpen(createSignup({ isOpen: false, isLimited: false })),
  );
  expect({ code, reason }).toEqual({
    code: "PERMISSION_DENIED",
    reason: "REQUEST_NOT_AUTHORIZED",
  });
  assertOpen(createSignup({ isOpen: true, isLimited: true }));
});

test("an address creates ten organizations at once, and then one in six minutes", async () => {
  const signup = createSignup({ isOpen: true, isLimited: true });
  for (let i = 0; i < 10; i++) expect(await refusalOf(signup, "203.0.113.7", 0)).toBeNull();
  const refused = await refusalOf(signup, "203.0.113.7", 1000);
  expect(refused?.reason).toBe("RATE_LIMITED");
  expect(refused?.retryAfterSeconds).toBe(360);
  expect(refused?.message).toBe(
    "too many organizations are created from your address: at most 10 within an hour; try again later",
  );
  expect(await refusalOf(signup, "203.0.113.8", 1000)).toBeNull();
  expect(await refusalOf(signup, "203.0.113.7", 361_000)).toBeNull();
  expect(await refusalOf(signup, "203.0.113.7", 362_000)).not.toBeNull();
});

const tooManyHere = /too many organizations are created here: at most 1000 within an hour/;

test("the addresses of one region create a thousand within an hour, and five more", async () => {
  const signup = createSignup({ isOpen: true, isLimited: true });
  const from = (i: number) => `10.0.${i >> 8}.${i & 255}`;
  for (let i = 0; i < 1005; i++) expect(await refusalOf(signup, from(i), 0)).toBeNull();
  expect((await refusalOf(signup, from(1005), 0))?.message).toMatch(tooManyHere);
  expect(await refusalOf(signup, from(1006), hour)).toBeNull();
});

test("a hundred addresses that used up the total do not close signup for those of other regions", async () => {
  const signup = createSignup({ isOpen: true, isLimited: true });
  const attack = async () => {
    for (let i = 0; i < 1100; i++) await refusalOf(signup, `203.0.113.${i % 110}`, 0);
  };
  await attack();
  const others = ["198.51.100.7", "192.0.2.7", "2001:db8::7", "2001:db9::7"];
  for (const address of others) expect(await refusalOf(signup, address, 0), address).toBeNull();
  await attack();
  expect((await refusalOf(signup, "203.0.113.200", 0))?.message).toMatch(tooManyHere);
  expect(await refusalOf(signup, "198.51.200.7", 0)).toBeNull();
  // The reserve has an end too.
  const everywhere = (i: number) => `${1 + (i >> 8)}.${i & 255}.0.1`;
  const refusals = [];
  for (let i = 0; i < 1000; i++) refusals.push(await refusalOf(signup, everywhere(i), 0));
  expect(refusals.filter((refusal) => refusal === null)).toHaveLength(1000 - 5 - others.length - 1);
  expect(refusals.at(-1)?.message).toMatch(tooManyHere);
});

test("a signup that was not verified is charged to nobody", async () => {
  const signup = createSignup({ isOpen: true, isLimited: true });
  const forged = async () => {
    throw new Error("the signer refuses it");
  };
  for (let i = 0; i < 2000; i++) {
    expect(await refusalOf(signup, "203.0.113.7", 0, forged)).toMatchObject({
      message: "the signer refuses it",
    });
  }
  for (let i = 0; i < 10; i++) expect(await refusalOf(signup, "203.0.113.7", 0)).toBeNull();
});

test("an IPv6 site creates eight times as many as one of its networks", async () => {
  const signup = createSignup({ isOpen: true, isLimited: true });
  const from = (i: number) => `2001:db8:7:${i.toString(16)}::1`;
  for (let i = 0; i < 80; i++) expect(await refusalOf(signup, from(i), 0)).toBeNull();
  expect((await refusalOf(signup, from(80), 0))?.message).toMatch(/from your address/);
  expect(await refusalOf(signup, "2001:db8:8::1", 0)).toBeNull();
});

test("an address has four signups under way at once", async () => {
  const signup = createSignup({ isOpen: true, isLimited: true });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = [1, 2, 3, 4].map((i) => refusalOf(signup, `2001:db8:7:${i}::1`, 0, () => held));
  expect((await refusalOf(signup, "2001:db8:7:5::1", 0))?.message).toBe(
    "too many organizations are being created from your address: at most 4 at once; wait for an answer and send the rest again",
  );
  expect(await refusalOf(signup, "203.0.113.8", 0)).toBeNull();
  release();
  expect(await Promise.all(first)).toEqual([null, null, null, null]);
  expect(await refusalOf(signup, "2001:db8:7:5::1", 0)).toBeNull();
});

test("without limits on requests there are none on signups", async () => {
  const signup = createSignup({ isOpen: true, isLimited: false });
  for (let i = 0; i < 100; i++) expect(await refusalOf(signup, "203.0.113.7", 0)).toBeNull();
});
