import { statSync } from "node:fs";
import type { Pin } from "@keyhearth/outbound/door-key";
import { findPeer, type Peer, type Peers, readPeers } from "../state/peers-file.ts";
import type { Log } from "./door.ts";

/** Who may connect, as the file says now. */
export type PairedApis = {
  find(pin: Pin): Peer | undefined;
  /** Returns what ends it. */
  onChange(listener: () => void): () => void;
};

const LOOK_AGAIN_MS = 1000;

/** Looks at the file each second: a key that was removed must not wait for the next start. */
export function watchPairedApis(path: string, log: Log): PairedApis {
  let seen = stateOf(path);
  let peers = readPeers(path);
  return {
    find: (pin) => findPeer(peers, pin),
    onChange(listener) {
      const timer = setInterval(() => {
        const state = stateOf(path);
        if (state === seen) return;
        seen = state;
        peers = readOrNobody(path, log);
        listener();
      }, LOOK_AGAIN_MS);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

/** A file that cannot be read may be one from which a key was removed. */
function readOrNobody(path: string, log: Log): Peers {
  try {
    return readPeers(path);
  } catch (cause) {
    log({ event: "nobody is paired: the file of paired APIs cannot be read", cause });
    return { paired: [], removed: [] };
  }
}

function stateOf(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : "missing";
  } catch {
    return "unreadable";
  }
}
