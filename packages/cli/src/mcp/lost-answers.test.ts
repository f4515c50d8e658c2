import { afterEach, expect, test, vi } from "vitest";
import { LostAnswers } from "./lost-answers.ts";

const requestOf = (unsignedTransaction: string) => ({
  type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2" as const,
  parameters: { signWith: "0x", type: "TRANSACTION_TYPE_ETHEREUM" as const, unsignedTransaction },
});

afterEach(() => void vi.useRealTimers());

test("a request keeps its time until it was answered, and at most as long as the service takes it", () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  const lost = new LostAnswers();
  const first = lost.begin(requestOf("01"), undefined);
  expect(first).toBe("1800000000000");
  vi.advanceTimersByTime(5 * 60_000);
  expect(lost.begin(requestOf("01"), undefined)).toBe(first);
  expect(lost.begin(requestOf("02"), undefined)).not.toBe(first);
  vi.advanceTimersByTime(55 * 60_000);
  expect(lost.begin(requestOf("01"), undefined)).toBe(String(Date.now()));
  lost.end(requestOf("02"));
  expect(lost.begin(requestOf("02"), undefined)).toBe(String(Date.now()));
  expect(lost.begin(requestOf("02"), "1800000000001")).toBe("1800000000001");
});

test("it remembers the newest few hundred", () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  const lost = new LostAnswers();
  for (let i = 0; i <= 256; i++) lost.begin(requestOf(String(i)), undefined);
  vi.advanceTimersByTime(1000);
  expect(lost.begin(requestOf("256"), undefined)).toBe("1800000000000");
  expect(lost.begin(requestOf("0"), undefined)).toBe("1800000001000");
});
