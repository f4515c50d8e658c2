import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createCode, normalizeCode } from "./one-time-codes.ts";

const block = () => new Uint8Array(randomBytes(32));

test("every character of a code is equally likely", () => {
  for (const isAlphanumeric of [true, false]) {
    const counts = new Map<string, number>();
    for (let round = 0; round < 4000; round++) {
      for (const character of createCode({ length: 9, isAlphanumeric }, block)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    const size = isAlphanumeric ? 32 : 10;
    const expected = (4000 * 9) / size;
    expect(counts.size).toBe(size);
    const chiSquare = [...counts.values()].reduce(
      (sum, count) => sum + (count - expected) ** 2 / expected,
      0,
    );
    // Exceeded once in more than a million runs.
    expect(chiSquare).toBeLessThan(isAlphanumeric ? 85 : 45);
  }
});

test("bytes that would favour some digits are left out, over as many blocks as it takes", () => {
  const blocks = [
    Uint8Array.of(255, 250, 251),
    Uint8Array.of(249, 0),
    Uint8Array.of(13, 7, 7, 7, 9),
  ];
  const code = createCode(
    { length: 6, isAlphanumeric: false },
    (n) => blocks[n] ?? new Uint8Array(0),
  );
  expect(code).toBe("903777");
});

test("a code is recognized however somebody types it", () => {
  expect(normalizeCode(" 7k2q-x9zo i ")).toBe("7K2QX9Z01");
  expect(normalizeCode("olIL")).toBe("0111");
  const code = createCode({ length: 9, isAlphanumeric: true }, block);
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{9}$/);
  expect(normalizeCode(code.toLowerCase())).toBe(code);
});
