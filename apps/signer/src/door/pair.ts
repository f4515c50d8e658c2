import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type DoorKey, lineOf } from "@keyhearth/outbound/door-key";
import { inOwnState, type PathsOfDoor } from "../signer.ts";
import { openDoorKeyFile, readDoorKeyFile } from "../state/door-key-file.ts";
import { renameDurably } from "../state/durable-file.ts";
import { addPeer, readPeers, removePeer } from "../state/peers-file.ts";
import { SignerStateError } from "../state/state-error.ts";
import { explainStateErrors, hasFile } from "../state/state-files.ts";
import type { Log } from "./door.ts";
import { type PairedApis, watchPairedApis } from "./paired-apis.ts";

export type PairOptions = {
  list: boolean;
  remove?: string | undefined;
  next: boolean;
  "use-next": boolean;
};

/** One line each way makes the signer and an API know each other. Returns what to print. */
export function pair(paths: PathsOfDoor, words: string[], options: PairOptions): string {
  const { list, remove, next, "use-next": useNext } = options;
  const asked = [words.length > 0, list, remove !== undefined, next, useNext].filter(Boolean);
  if (asked.length > 1) throw new SignerStateError("`pair` does one thing at a time; see --help");
  if (list) return listed(paths);
  if (remove !== undefined) {
    removePeer(paths.peers, remove, new Date());
    return `${remove} can no longer connect. A signer that runs cuts its connections within a second.\n`;
  }
  if (next) return `${lineOf("signer", openDoorKeyFile(paths.nextDoorKey).pin)}\n`;
  if (useNext) return takeNext(paths);
  if (words.length > 0) return added(paths, words);
  return `${lineOf("signer", ownKey(paths).pin)}\n`;
}

/** On the API's machine, which has no state of a signer. */
export function pairApi(path: string, words: string[], options: PairOptions): string {
  const { list, remove, next, "use-next": useNext } = options;
  if (words.length > 0 || list || remove !== undefined || next || useNext) {
    throw new SignerStateError(
      "`pair --api FILE` stands alone: it makes or reads a key on the API's machine, and everything else is for the signer's",
    );
  }
  const folder = dirname(resolve(path));
  return explainStateErrors(folder, () => {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      throw new SignerStateError(
        `there is no directory ${folder}; make it first, as the API's user`,
      );
    }
    return `${lineOf("api", openDoorKeyFile(path).pin)}\n`;
  });
}

/** For a start with `--listen`. It makes no key: the APIs would take a new one for a stranger's. */
export function openPairing(
  stateDirectory: string,
  log: Log,
): { key: DoorKey; paired: PairedApis } {
  return inOwnState(stateDirectory, ({ doorKey, peers }) => {
    if (!hasFile(doorKey)) {
      throw new SignerStateError(
        `the signer has no key for --listen: there is no ${doorKey}; make it with \`pair\`, which prints the line for KEYHEARTH_SIGNER_PINS, or restore it from a backup`,
      );
    }
    return { key: readDoorKeyFile(doorKey), paired: watchPairedApis(peers, log) };
  });
}

function added({ peers }: PathsOfDoor, words: string[]): string {
  const [name = "", line, ...rest] = words;
  if (line === undefined || rest.length > 0) {
    throw new SignerStateError(
      "`pair` takes a name and a line: `pair NAME LINE`, where LINE is what `pair --api FILE` prints on the API's machine",
    );
  }
  const { isNew } = addPeer(peers, name, line, new Date());
  return isNew ? `${name} can connect from now on.\n` : `${name} was paired already.\n`;
}

function listed({ peers }: PathsOfDoor): string {
  const { paired } = readPeers(peers);
  if (paired.length === 0) return "No API is paired.\n";
  return paired.map(({ name, pin, since }) => `${name} ${lineOf("api", pin)} ${since}\n`).join("");
}

/** APIs that know only the key before would take another one for a stranger's. */
function ownKey({ doorKey, peers }: PathsOfDoor) {
  if (hasFile(doorKey) || readPeers(peers).paired.length === 0) return openDoorKeyFile(doorKey);
  throw new SignerStateError(
    `${doorKey} is missing although APIs are paired with it; restore it from a backup, or begin with another key: \`pair --next\`, and \`pair --use-next\` once the APIs know it`,
  );
}

function takeNext({ doorKey, nextDoorKey }: PathsOfDoor): string {
  if (!hasFile(nextDoorKey)) {
    throw new SignerStateError(
      "there is no next key; make it with `pair --next`, and give its line to each API first",
    );
  }
  const { pin } = readDoorKeyFile(nextDoorKey);
  renameDurably(nextDoorKey, doorKey);
  return `${lineOf("signer", pin)}\nThis is the signer's key from its next start on.\n`;
}
