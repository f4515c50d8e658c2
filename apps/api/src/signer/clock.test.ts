import type { Answer } from "@keyhearth/engine/core/protocol";
import { expect, test } from "vitest";
import { createLog } from "../observability/log.ts";
import { createMetrics } from "../observability/metrics.ts";
import { startTestServer } from "../testing.ts";
import { createSignerClock } from "./clock.ts";

/** What the API says about answers of the signer. */
async function watching() {
  const server = await startTestServer();
  const lines: { msg: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLog({ level: "error", destination });
  const metrics = createMetrics({ isWithProcess: false });
  let nowMs = Date.now();
  const clock = createSignerClock({ log, metrics, now: () => nowMs });
  const description = server.signer.handle({ call: "describe" });
  if (description.kind !== "description") throw new Error("the signer describes itself");
  await server.stop();
  return {
    note: (changes: Partial<typeof description> | Answer) =>
      clock.note(
        "kind" in changes && changes.kind === "error"
          ? changes
          : ({ ...description, nowMs, ...changes } as Answer),
      ),
    nowMs: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms;
    },
    said: () => lines.splice(0).map(({ msg }) => msg),
    shown: async (name: string) =>
      (await metrics.render()).body.match(
        new RegExp(`^keyhearth_signer_clock_${name} (.*)`, "m"),
      )?.[1],
  };
}

const refusal: Answer = {
  kind: "error",
  error: {
    code: "UNAVAILABLE",
    reason: "CLOCK_JUMPED",
    message: "the signer's machine says",
    details: [],
  },
};

test("clocks that differ by more than a minute are an alarm, once", async () => {
  const { note, nowMs, said, shown } = await watching();
  note({});
  note({ nowMs: nowMs() + 60_000 });
  expect(said()).toEqual([]);
  for (const _ of [1, 2]) note({ nowMs: nowMs() - 61_000 });
  expect(said()).toEqual(["the clocks of the signer and of this process differ"]);
  expect(await shown("offset_seconds")).toBe("-61");
  note({});
  note({ nowMs: nowMs() + 61_000 });
  expect(said()).toHaveLength(1);
});

test("a jump that the signer believed is an alarm, in each run", async () => {
  const { note, said, shown } = await watching();
  for (const clockJumps of [0, 1, 1]) note({ clockJumps });
  expect(said()).toEqual(["the signer's clock jumped; the signer's log says how far"]);
  expect(await shown("jumps")).toBe("1");
  note({ run: "next", clockJumps: 0 });
  expect(said()).toEqual([]);
  note({ run: "next", clockJumps: 1 });
  expect(said()).toHaveLength(1);
});

test("a signer that does not believe its clock is an alarm until it does", async () => {
  const { note, said, shown } = await watching();
  note({});
  expect(await shown("refused")).toBe("0");
  for (const _ of [1, 2]) note(refusal);
  expect(said()).toEqual(["the signer does not believe its clock and refuses to work"]);
  expect(await shown("refused")).toBe("1");
  note({});
  expect(await shown("refused")).toBe("0");
});
