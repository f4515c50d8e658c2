import type { ApiError } from "@keyhearth/engine/errors";
import { expect, test } from "vitest";
import { assertOpen, createSignup, takeSignup } from "./signup.ts";

const hour = 3600_000;

function errorOf(work: () => void): ApiError & { retryAfterSeconds?: number } {
  try {
    work();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error("nothing was refused");
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

test("an address creates ten organizations at once, and then one in six minutes", () => {
  const signup = createSignup({ isOpen: true, isLimited: true });
  for (let i = 0; i < 10; i++) takeSignup(signup, "203.0.113.7", 0);
  const refused = errorOf(() => takeSignup(signup, "203.0.113.7", 1000));
  expect(refused.reason).toBe("RATE_LIMITED");
  expect(refused.retryAfterSeconds).toBe(360);
  expect(refused.message).toBe(
    "too many organizations are created from your address: at most 10 within an hour; try again later",
  );
  takeSignup(signup, "203.0.113.8", 1000);
  takeSignup(signup, "203.0.113.7", 361_000);
  errorOf(() => takeSignup(signup, "203.0.113.7", 362_000));
});

test("all addresses together create a thousand within an hour", () => {
  const signup = createSignup({ isOpen: true, isLimited: true });
  const from = (i: number) => `10.0.${i >> 8}.${i & 255}`;
  for (let i = 0; i < 1000; i++) takeSignup(signup, from(i), 0);
  expect(errorOf(() => takeSignup(signup, from(1000), 0)).message).toMatch(
    /too many organizations are created here: at most 1000 within an hour/,
  );
  takeSignup(signup, from(1001), hour);
});

test("without limits on requests there are none on signups", () => {
  const signup = createSignup({ isOpen: true, isLimited: false });
  for (let i = 0; i < 100; i++) takeSignup(signup, "203.0.113.7", 0);
});
