import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "@keyhearth/crypto/primitives";
import type { CoreEvent, Marks } from "@keyhearth/engine/core/core";
import { createKeyring, type Keyring } from "@keyhearth/engine/vault/keyring";
import { createMarks } from "./marks.ts";
import { createMarksFile, openMarksFile } from "./marks-file.ts";
import type { MarksStore } from "./marks-store.ts";

/** Marks in a directory of their own, which can be closed, damaged and opened again. */
export type TestMarks = {
  path: string;
  keyring: Keyring;
  events: CoreEvent[];
  open(
    options?: Parameters<typeof createMarks>[1],
  ): Marks & Pick<MarksStore, "clock" | "clockMs" | "rememberClock">;
  close(): void;
  remove(): void;
};

export const digest = "ab".repeat(32);

export const idOf = (index: number) =>
  `${(index * 40503).toString(16).padStart(8, "0")}-1111-4111-8111-111111111111`;

export const markOf = (index: number, version = 2) => ({
  organizationId: idOf(index),
  version,
  digest,
  previousDigest: digest,
});

export function createTestMarks(): TestMarks {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-marks-"));
  const path = join(directory, "marks");
  const keyring = createKeyring(randomBytes);
  createMarksFile(path, keyring);
  const events: CoreEvent[] = [];
  let store: MarksStore | null = null;
  function close() {
    store?.close();
    store = null;
  }
  return {
    path,
    keyring,
    events,
    open(options) {
      close();
      const opened = openMarksFile(path, { keyring, log: (event) => void events.push(event) });
      store = opened;
      const { clock, clockMs, rememberClock } = opened;
      return { ...createMarks(opened, options), clock, clockMs, rememberClock };
    },
    close,
    remove() {
      close();
      rmSync(directory, { recursive: true });
    },
  };
}
