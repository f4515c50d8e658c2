import { setTimeout as sleep } from "node:timers/promises";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import type { Machine } from "../clock/clock.ts";
import type { Followed } from "../marks/marks-store.ts";
import { type Etcd, EtcdError, type Write } from "./etcd.ts";
import { digestOf, type Group, type Seals } from "./groups.ts";
import type { Append } from "./shared-store.ts";

/** Where the signers of an installation meet in etcd. */
export type Keys = {
  prefix: string;
  state: string;
  head: string;
  term: string;
  beat: string;
  courier: string;
  log: string;
  members: string;
};

export function keysOf(installationId: string): Keys {
  const prefix = `keyhearth/${installationId}/`;
  return {
    prefix,
    state: `${prefix}state/`,
    head: `${prefix}state/head`,
    term: `${prefix}state/term`,
    beat: `${prefix}state/beat`,
    courier: `${prefix}state/courier`,
    log: `${prefix}log/`,
    members: `${prefix}members/`,
  };
}

/** The first key that does not begin with this. */
export function afterAll(prefix: string): string {
  return `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;
}

const SEQUENCE_DIGITS = 16;

export function groupKey({ log }: Keys, sequence: number): string {
  return `${log}${String(sequence).padStart(SEQUENCE_DIGITS, "0")}`;
}

/**
 * A signer that was not heard for so long has stopped deciding. One that decides stops earlier than the others may
 * think so: its time runs from before its last sign of life was sent, and theirs from after they have seen it.
 */
export const SILENCE_MS = 1500;
const MARGIN_MS = 300;
const BEAT_MS = 250;
/** How long a term that ends waits for what it has asked of etcd. */
const LAST_WRITES_MS = 1000;

/** The time in which one signer decides, until another one takes over. */
export type Term = {
  readonly number: number;
  /** At which it was written in etcd. */
  readonly revision: string;
  /** Whether no other signer can have taken over. By no clock that can be set back, and none that stands still. */
  isHeld(): boolean;
  /** Resolves with the next sign of life that etcd took, after which the term is held. */
  nextSign(): Promise<void>;
  append: Append;
  /** Rejects once another signer has taken over. Never resolves. */
  readonly lost: Promise<never>;
  /** Tells the standbys to whom messages are sealed. */
  shareCourier(publicKey: string): Promise<void>;
  /** Lets another signer take over at once. */
  end(): Promise<void>;
};

/** Another signer decides. */
export class TermLost extends Error {
  constructor(why = "another signer has taken over") {
    super(why);
    this.name = "TermLost";
  }
}

/** What each part of a signer needs to meet the others. */
export type Meeting = {
  etcd: Etcd;
  seals: Seals;
  keys: Keys;
  machine: Machine;
  log: (event: CoreEvent) => void;
};

export type TermOptions = Meeting & {
  number: number;
  holder: string;
  /** The revisions at which the term and the head were written. */
  revisions: { term: string; head: string };
  followed: Followed;
  /** The instants of the machine's clocks before the term was asked for. */
  since: Instant;
  /** The courier that the others know. */
  courier: string | null;
  silenceMs?: number;
};

/** A moment by all clocks of the machine. */
export type Instant = { now: number; running: number; up: number };

export function instantOf(machine: Machine): Instant {
  return { now: machine.now(), running: machine.running(), up: machine.up() };
}

/** The most that passed by any clock: one may stand still, and the time of day may be set back. */
function mostElapsedMs(machine: Machine, since: Instant): number {
  const { now, running, up } = instantOf(machine);
  return Math.max(now - since.now, running - since.running, up - since.up);
}

/** The least that passed by the clocks that nobody can set. One of them may stand still while the machine sleeps. */
export function leastElapsedMs(machine: Machine, since: Instant): number {
  const { running, up } = instantOf(machine);
  return Math.min(running - since.running, up - since.up);
}

export function holdTerm(options: TermOptions): Term {
  const { etcd, seals, keys, machine, number, log, silenceMs = SILENCE_MS } = options;
  const { term: termRevision } = options.revisions;
  let { followed, since } = options;
  let headRevision = options.revisions.head;
  let count = 0;
  let isEnded = false;
  let isMissed = false;
  let { courier } = options;
  const validMs = silenceMs * (1 - MARGIN_MS / SILENCE_MS);
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  let sign = Promise.withResolvers<void>();
  sign.promise.catch(() => {});
  const underWay = new Set<Promise<unknown>>();

  function lose(error: unknown = new TermLost()) {
    isEnded = true;
    clearTimeout(timer);
    lost.reject(error);
    sign.reject(error);
    return error;
  }

  /** Writes if this is still the term. */
  async function write(unchanged: Record<string, string>, writes: readonly Write[]) {
    const instant = instantOf(machine);
    count += 1;
    const { sequence, digest } = followed;
    const content = { term: number, count, atMs: instant.now, sequence, digest };
    const beat = { put: keys.beat, value: seals.seal("beat", keys.beat, content) };
    const unchangedTerm = { [keys.term]: termRevision, ...unchanged };
    // A sign of life alone may be given twice.
    const options = { mayRepeat: writes.length === 0 };
    const writing = etcd.writeIf(unchangedTerm, [beat, ...writes], options);
    underWay.add(writing);
    const revision = await writing.finally(() => underWay.delete(writing));
    if (revision !== null) {
      since = instant;
      sign.resolve();
      sign = Promise.withResolvers<void>();
      sign.promise.catch(() => {});
    }
    return revision;
  }

  async function beat() {
    try {
      if ((await write({}, [])) === null) return lose();
      if (isMissed) log({ event: "etcd answers again" });
      isMissed = false;
    } catch (error) {
      // Without etcd the time runs out by itself.
      if (!(error instanceof EtcdError)) return lose(error);
      if (!isMissed) log({ event: "etcd does not answer", cause: error });
      isMissed = true;
    }
    if (!isEnded) timer = setTimeout(() => void beat(), (BEAT_MS * silenceMs) / SILENCE_MS);
  }
  let timer = setTimeout(() => void beat(), 0);

  /** Whether a write of which nobody knows was done. Null if it was not. */
  async function revisionOf(digest: string): Promise<string | null> {
    const entry = await etcd.get(keys.head);
    if (!entry) throw lose();
    if (seals.open("head", keys.head, entry.value).digest === digest) return entry.revision;
    if (entry.revision === headRevision) return null;
    throw lose();
  }

  async function put(group: Group): Promise<{ revision: string; digest: string }> {
    const { history } = followed;
    const { sequence } = group;
    const key = groupKey(keys, sequence);
    const value = seals.seal("group", key, group);
    const digest = digestOf(value);
    const head = seals.seal("head", keys.head, { history, sequence, digest });
    const writes = [
      { put: key, value },
      { put: keys.head, value: head },
    ];
    for (;;) {
      if (isEnded) throw new TermLost();
      try {
        const revision = await write({ [keys.head]: headRevision }, writes);
        if (revision !== null) return { revision, digest };
        // A repeated write, whose first answer was lost, finds its own group.
        const done = await revisionOf(digest);
        if (done === null) throw lose();
        return { revision: done, digest };
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        await sleep(50);
      }
    }
  }

  return {
    number,
    revision: termRevision,
    nextSign: () => sign.promise,
    isHeld: () => !isEnded && mostElapsedMs(machine, since) < validMs,
    lost: lost.promise,
    async append({ entries, times }) {
      const sequence = followed.sequence + 1;
      const previous = followed.digest;
      const packed = Buffer.from(entries).toString("base64");
      const atMs = machine.now();
      const group = { sequence, previous, term: number, atMs, entries: packed };
      const { revision, digest } = await put({ ...group, ...(times && { times }) });
      headRevision = revision;
      followed = { ...followed, sequence, digest, heardMs: atMs };
      return followed;
    },
    async shareCourier(publicKey) {
      if (courier === publicKey || isEnded) return;
      const value = seals.seal("courier", keys.courier, { publicKey });
      const isShared = await write({}, [{ put: keys.courier, value }]);
      if (isShared !== null) courier = publicKey;
    },
    async end() {
      isEnded = true;
      clearTimeout(timer);
      // A sign of life that arrives after it was removed would keep the others waiting.
      await Promise.race([
        Promise.allSettled(underWay),
        sleep(LAST_WRITES_MS, undefined, { ref: false }),
      ]);
      await etcd
        .writeIf({ [keys.term]: termRevision }, [{ remove: keys.beat, until: afterAll(keys.beat) }])
        .catch(() => {});
    },
  };
}
