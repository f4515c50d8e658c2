import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startRehearsal } from "./rehearsal.ts";

test("a service that a copy keeps busy, so that it does not stop, ends with the drill", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keyhearth-rehearsal-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "keyhearth-api"), "#!/bin/sh\ntrap '' TERM\nexec sleep 60\n", {
    mode: 0o700,
  });
  const closers: (() => Promise<void>)[] = [];
  const started = startRehearsal(
    { KEYHEARTH_DATA_DIR: folder },
    {
      env: { PATH: `${folder}:${process.env.PATH}` },
      signal: AbortSignal.timeout(500),
      closers,
      onProgress: () => {},
      stopMs: 500,
    },
  );
  await expect(started).rejects.toThrow(/does not open the copy/);
  for (const close of closers) await close();
}, 30_000);
