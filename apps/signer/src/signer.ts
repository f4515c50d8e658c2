import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { randomBytes } from "@keyhearth/crypto/primitives";
import type { CoreEvent } from "@keyhearth/engine/door/core";
import { createCore } from "@keyhearth/engine/door/create-core";
import type { Answer, Request } from "@keyhearth/engine/door/protocol";
import { createKeyring, type Keyring } from "@keyhearth/engine/keys/keyring";
import { deriveQuorumKeys, signerPublicKey } from "@keyhearth/engine/keys/quorum-key";
import { createClock } from "./clock.ts";
import { renameDurably, syncDirectoryOf } from "./durable-file.ts";
import { hasKeyringFile, readKeyringFile, writeKeyringFile } from "./keyring-file.ts";
import { createMarks } from "./marks.ts";
import { createMarksFile, openMarksFile } from "./marks-file.ts";
import { createRootKeyFile, readRootKeyFile } from "./root-key/file.ts";
import { LostMarksError, SignerStateError } from "./state-error.ts";

export type SignerOptions = {
  /** The directory of the root key, the keyring and the marks. */
  stateDirectory: string;
  /** May a missing root key be created? Never if the database has records. */
  mayCreate: boolean;
  readClock?: () => number;
  log: (event: CoreEvent) => void;
};

export type Signer = { handle(request: Request): Answer; close(): void };

/** Opens the signer's state and starts the trusted core with it. */
export function openSigner({
  stateDirectory,
  mayCreate,
  readClock = Date.now,
  log,
}: SignerOptions): Signer {
  const paths = pathsIn(stateDirectory);
  const rootKey = openRootKey(paths, { stateDirectory, mayCreate });
  const keyring = openKeyring(paths, rootKey, { mayCreate });
  const store = openMarksFile(paths.marks, { keyring, log });
  const marks = createMarks(store);
  const clock = createClock(readClock, store.clockMs());
  const handle = createCore({ keyring, marks, now: clock.now, random: randomBytes, log });
  const rememberClock = () => {
    try {
      store.rememberClock(clock.highest());
    } catch (cause) {
      log({ event: "the clock was not remembered", cause });
    }
  };
  const heartbeat = setInterval(rememberClock, 10_000);
  heartbeat.unref();

  return {
    handle,
    close() {
      clearInterval(heartbeat);
      rememberClock();
      store.close();
    },
  };
}

/** The keys that clients pin, read on the machine that holds their secrets. Changes nothing. */
export function readPublicKeys(stateDirectory: string): {
  signerPublicKey: string;
  quorumPublicKey: string;
} {
  const paths = pathsIn(stateDirectory);
  if (!existsSync(paths.rootKey) || !hasKeyringFile(paths.keyring)) {
    throw new SignerStateError(
      `there is no root key and keyring in ${stateDirectory}; point --state at the signer's state directory`,
    );
  }
  const keyring = readKeyringFile(paths.keyring, readRootKeyFile(paths.rootKey));
  return {
    signerPublicKey: signerPublicKey(keyring),
    quorumPublicKey: deriveQuorumKeys(keyring).publicKey,
  };
}

/**
 * After the database was restored from a backup, the signer would refuse every document as stale.
 * The operator accepts it on the signer's machine while the signer is stopped. This puts the old
 * marks aside and starts new ones, but keeps the mark of the clock.
 */
export function acceptRestoredDatabase(stateDirectory: string): { setAside: string | null } {
  const paths = pathsIn(stateDirectory);
  if (!existsSync(paths.rootKey) || !hasKeyringFile(paths.keyring)) {
    throw new SignerStateError(`there are no marks in ${stateDirectory}; nothing was changed`);
  }
  const keyring = readKeyringFile(paths.keyring, readRootKeyFile(paths.rootKey));
  const clockMs = readClockMark(paths.marks, keyring);
  const setAside = existsSync(paths.marks) ? `${paths.marks}.before-restore-${clockMs}` : null;
  if (setAside !== null) renameDurably(paths.marks, setAside);
  // It is left only if the marks are damaged.
  const log = `${paths.marks}-wal`;
  if (existsSync(log)) renameDurably(log, `${paths.marks}.before-restore-${clockMs}-wal`);
  createMarksFile(paths.marks, keyring, clockMs);
  return { setAside };
}

/** The machine's time, if the marks are lost: the operator is at the machine. */
function readClockMark(path: string, keyring: Keyring): number {
  try {
    const store = openMarksFile(path, { keyring, log: () => {} });
    const clockMs = store.clockMs();
    store.close();
    return clockMs;
  } catch (error) {
    if (error instanceof LostMarksError) return Date.now();
    throw error;
  }
}

type Paths = { rootKey: string; keyring: string; marks: string };

function pathsIn(stateDirectory: string): Paths {
  return {
    rootKey: join(stateDirectory, "root-key"),
    keyring: join(stateDirectory, "keyring"),
    marks: join(stateDirectory, "marks"),
  };
}

function openRootKey(
  paths: Paths,
  { stateDirectory, mayCreate }: Pick<SignerOptions, "stateDirectory" | "mayCreate">,
): Uint8Array {
  if (!existsSync(paths.rootKey)) {
    if (hasKeyringFile(paths.keyring) || !mayCreate) throw rootKeyMissing(paths.rootKey);
    const first = mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
    createRootKeyFile(paths.rootKey);
    for (const made of [stateDirectory, first ?? stateDirectory]) syncDirectoryOf(made);
  }
  return readRootKeyFile(paths.rootKey);
}

function openKeyring(
  paths: Paths,
  rootKey: Uint8Array,
  { mayCreate }: Pick<SignerOptions, "mayCreate">,
): Keyring {
  if (!hasKeyringFile(paths.keyring)) {
    // A first start may have been killed between the two files: then they protect nothing yet.
    if (!mayCreate) throw keyringMissing(paths.keyring);
    const keyring = createKeyring(randomBytes);
    // Invariant: where there is a keyring there were marks.
    createMarksFile(paths.marks, keyring);
    writeKeyringFile(paths.keyring, rootKey, keyring);
  }
  return readKeyringFile(paths.keyring, rootKey);
}

function rootKeyMissing(path: string): SignerStateError {
  return new SignerStateError(
    `the root key ${path} is missing, but there are records that it protects; restore it from a backup or point KEYHEARTH_SIGNER_STATE at the directory that holds it`,
  );
}

function keyringMissing(path: string): SignerStateError {
  return new SignerStateError(
    `the root key is there but the keyring ${path} is missing; restore it from a backup`,
  );
}
