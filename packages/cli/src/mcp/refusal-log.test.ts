import { expect, test } from "vitest";
import { refusalLog } from "./refusal-log.ts";

test("at most a few refusals a minute are written, and the next one says how many were left out", () => {
  const lines: string[] = [];
  let nowMs = 1_000_000;
  const log = refusalLog(
    (line) => void lines.push(line),
    () => nowMs,
  );
  for (let i = 0; i < 1000; i++) log(`refused ${i}`);
  expect(lines).toEqual([0, 1, 2, 3, 4].map((i) => `refused ${i}`));
  nowMs += 59_999;
  log("refused in the same minute");
  expect(lines).toHaveLength(5);
  nowMs += 1;
  log("refused later");
  expect(lines.slice(5)).toEqual(["996 more refusals are not shown", "refused later"]);
  // A clock that is set back must not silence the log.
  nowMs -= 3_600_000;
  log("refused earlier");
  expect(lines.at(-1)).toBe("refused earlier");
});
