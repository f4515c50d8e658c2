import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { hasPin, lineOf, type Pin, readLine } from "@keyhearth/outbound/door-key";
import { readStateFile } from "@keyhearth/outbound/state-file";
import { replaceDurably } from "./durable-file.ts";
import { SignerStateError } from "./state-error.ts";
import { hasFile } from "./state-files.ts";

/** A process of the API, or several with one key, that may connect over the network. */
export type Peer = { name: string; pin: Pin; since: string };

/** Keys that were removed stay removed: they may be in other hands, and their lines in somebody's notes. */
export type Peers = { paired: Peer[]; removed: Omit<Peer, "name">[] };

const MAX_PAIRED = 64;
const MAX_REMOVED = 4096;
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/i;
const REMOVED = "-";

/** The file has a line for each peer: its name, its line, and since when. Without the file nobody is paired. */
export function readPeers(path: string): Peers {
  const peers: Peers = { paired: [], removed: [] };
  if (!hasFile(path)) return peers;
  const lines = readStateFile(path).toString("utf8").split("\n");
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    const [name = "", shown = "", since = "", ...rest] = line.split(" ");
    const pin = readLine("api", shown);
    if (!pin || rest.length > 0 || (name !== REMOVED && !NAME.test(name))) {
      throw new SignerStateError(
        `line ${index + 1} of ${path} names no paired API; restore the file from a backup, or remove it and pair each API again`,
      );
    }
    if (name === REMOVED) peers.removed.push({ pin, since });
    else peers.paired.push({ name, pin, since });
  }
  return peers;
}

/** Lets the API with this line connect from now on. Returns whether it might before. */
export function addPeer(path: string, name: string, line: string, now: Date): { isNew: boolean } {
  const pin = readLine("api", line);
  if (!pin) throw wrongLine(line);
  if (!NAME.test(name)) {
    throw new SignerStateError(
      `\`${shortened(name)}\` is not accepted as the name of an API: use 1 to 63 letters, digits and the signs . _ -, beginning with a letter or a digit; nothing was changed`,
    );
  }
  const peers = readPeers(path);
  const known = peers.paired.find((peer) => peer.pin.equals(pin));
  if (known?.name === name) return { isNew: false };
  if (known) {
    throw new SignerStateError(
      `this API is already paired under the name ${known.name}; to rename it, remove that name first and make it another key; nothing was changed`,
    );
  }
  if (peers.paired.some((peer) => peer.name === name)) {
    throw new SignerStateError(
      `the name ${name} is paired with another key; choose another name, or remove the old one with \`pair --remove ${name}\`; nothing was changed`,
    );
  }
  const gone = peers.removed.find((peer) => peer.pin.equals(pin));
  if (gone) {
    throw new SignerStateError(
      `the key of this line was removed on ${gone.since} and stays removed, because others may have it; make another key on the API's machine with \`pair --api FILE\`; nothing was changed`,
    );
  }
  if (peers.paired.length >= MAX_PAIRED) {
    throw new SignerStateError(
      `${MAX_PAIRED} APIs are paired, and more are not accepted; remove one with \`pair --remove NAME\`; nothing was changed`,
    );
  }
  peers.paired.push({ name, pin, since: now.toISOString() });
  writePeers(path, peers);
  return { isNew: true };
}

/** A signer that runs cuts its connections within a second. */
export function removePeer(path: string, name: string, now: Date) {
  const peers = readPeers(path);
  const found = peers.paired.find((peer) => peer.name === name);
  if (!found) {
    const names = peers.paired.map((peer) => peer.name).join(", ") || "none";
    throw new SignerStateError(
      `no API is paired under the name \`${shortened(name)}\`; the paired ones are: ${names}`,
    );
  }
  writePeers(path, {
    paired: peers.paired.filter((peer) => peer !== found),
    removed: [...peers.removed, { pin: found.pin, since: now.toISOString() }].slice(-MAX_REMOVED),
  });
}

export function findPeer({ paired }: Peers, pin: Pin): Peer | undefined {
  // All are compared, so that the time does not tell how much of a pin is right.
  return paired.filter((peer) => hasPin([peer.pin], pin)).at(0);
}

function writePeers(path: string, { paired, removed }: Peers) {
  const all = [...paired, ...removed.map((peer) => ({ name: REMOVED, ...peer }))];
  const lines = all.map(({ name, pin, since }) => `${name} ${lineOf("api", pin)} ${since}\n`);
  replaceDurably(path, encodeUtf8(lines.join("")));
}

function wrongLine(line: string): SignerStateError {
  return new SignerStateError(
    readLine("signer", line)
      ? "this is the line of a signer; give the line of the API, which `pair --api FILE` prints on the API's machine; nothing was changed"
      : `\`${shortened(line)}\` is not the line of an API: that is \`keyhearth-api:\` and 43 characters, as \`pair --api FILE\` prints it on the API's machine; nothing was changed`,
  );
}

function shortened(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
