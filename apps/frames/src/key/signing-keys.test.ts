import { generatePrivateKey } from "@keyhearth/crypto/keys/keys";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSigningKeys } from "./signing-keys.ts";

const DAY_MS = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers();
  const addEventListener = () => {};
  // A browser's, as far as the keys use it.
  vi.stubGlobal("window", { addEventListener, setTimeout });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a key is wiped after a day, also if nobody asks for it", () => {
  const keys = createSigningKeys();
  const bytes = generatePrivateKey("CURVE_SECP256K1");
  keys.add(bytes, "ETHEREUM", undefined);
  vi.advanceTimersByTime(DAY_MS - 1);
  expect(keys.get(undefined, "ETHEREUM").bytes).toBe(bytes);
  vi.advanceTimersByTime(1);
  expect(bytes.every((byte) => byte === 0)).toBe(true);
  expect(() => keys.get(undefined, "ETHEREUM")).toThrow("holds no key");
});

test("a key that replaces another lasts a day of its own", () => {
  const keys = createSigningKeys();
  const [first, second] = [
    generatePrivateKey("CURVE_ED25519"),
    generatePrivateKey("CURVE_ED25519"),
  ];
  keys.add(first, "SOLANA", undefined);
  vi.advanceTimersByTime(DAY_MS / 2);
  keys.add(second, "SOLANA", undefined);
  expect(first.every((byte) => byte === 0)).toBe(true);
  vi.advanceTimersByTime(DAY_MS / 2);
  expect(keys.get(undefined, "SOLANA").bytes).toBe(second);
});
