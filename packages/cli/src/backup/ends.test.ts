import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as rest } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { readMinutes, watchForEnds } from "./ends.ts";

const MB = 1024 * 1024;

test("a copy that fills the disk is stopped while some of it is left", async () => {
  const base = mkdtempSync(join(tmpdir(), "keyhearth-ends-"));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const { bavail, bsize } = statfsSync(base);
  // Others use this disk too, so most of what is free is the reserve.
  const ends = watchForEnds({ base, minutes: 1, reserve: bavail * bsize - 48 * MB });
  onTestFinished(ends.stop);
  for (let i = 0; i < 128 && !ends.signal.aborted; i++) {
    writeFileSync(join(base, String(i)), Buffer.alloc(4 * MB, 1));
    await rest(50);
  }
  expect(ends.finding()).toMatchObject({
    check: "room",
    status: "error",
    message: expect.stringMatching(/ has less than \d+ MB left, so the copy is not restored/),
  });
});

test("a copy that fills the disk with empty files is stopped while others still fit", async () => {
  const base = mkdtempSync(join(tmpdir(), "keyhearth-ends-"));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const { ffree } = statfsSync(base);
  const ends = watchForEnds({ base, minutes: 1, reserve: 0, reserveFiles: ffree - 2000 });
  onTestFinished(ends.stop);
  for (let i = 0; i < 12_000 && !ends.signal.aborted; i++) {
    writeFileSync(join(base, String(i)), "");
    if (i % 500 === 0) await rest(50);
  }
  expect(ends.finding()).toMatchObject({
    check: "room",
    status: "error",
    message: expect.stringMatching(/ has room for less than \d+ more files, so the copy is not/),
  });
});

test("one that takes too long is stopped", async () => {
  const ends = watchForEnds({ base: tmpdir(), minutes: 0.0005, reserve: 0 });
  onTestFinished(ends.stop);
  expect(ends.finding()).toBeUndefined();
  await new Promise((resolve) => ends.signal.addEventListener("abort", resolve));
  expect(ends.finding()).toMatchObject({ check: "time", status: "error" });
});

test("a signal is no finding", () => {
  const ends = watchForEnds({ base: tmpdir(), minutes: 1, reserve: 0 });
  onTestFinished(ends.stop);
  process.emit("SIGHUP", "SIGHUP");
  expect([ends.signal.aborted, ends.finding()]).toEqual([true, undefined]);
});

test("minutes are a number above 0", () => {
  expect([readMinutes(undefined, 120), readMinutes("0.5", 120)]).toEqual([120, 0.5]);
  for (const given of ["", "0", "-1", "soon", "1e9", "Infinity", "20000"]) {
    expect(() => readMinutes(given, 120)).toThrow(/--minutes is .*above 0/);
  }
});
