import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { randomBytes, sha256 } from "@keyhearth/crypto/primitives";
import type { Machine } from "../clock/clock.ts";
import { sortedEntries, withEntries } from "../marks/marks-buckets.ts";
import type { Followed, FollowingStore, Times } from "../marks/marks-store.ts";
import { SignerStateError } from "../state/state-error.ts";
import { ABSENT, type Entry, EtcdError } from "./etcd.ts";
import { digestOf, type Head, newHistory, type Seals, type Shared } from "./groups.ts";
import {
  afterAll,
  groupKey,
  holdTerm,
  type Instant,
  instantOf,
  type Keys,
  leastElapsedMs,
  type Meeting,
  SILENCE_MS,
  type Term,
} from "./term.ts";

export type FollowerOptions = Meeting & {
  local: FollowingStore;
  /** The name of this signer among those of its installation. */
  name: string;
  /** To whom the signer that decides seals messages. */
  onCourier: (publicKey: string) => void;
  silenceMs?: number;
};

/** What the signers share, as one read of etcd saw it. */
type State = {
  head: Head | null;
  term: Shared["term"] | null;
  beat: Shared["beat"] | null;
  /** To whom messages are sealed. */
  courier: string | null;
  revisions: { head: string; term: string; beat: string };
};

const POLL_MS = 100;
/** How many groups are read at once. */
const READ_GROUPS = 200;

/** How far the clocks of two signers may be apart. A standby with another one does not take over. */
const MAX_OFFSET_MS = 30_000;

/** A standby that has heard nothing for longer may know old marks only, so an operator has it take over. */
const MAX_UNHEARD_MS = 60 * 60 * 1000;
/** How often the time at which the active signer was heard is written down. */
const REMEMBER_HEARD_MS = 60_000;

/**
 * Follows the marks of the signer that decides, and resolves with a term once that one is silent. Rejects with a
 * `SignerStateError` if what is in etcd does not continue what this signer has seen.
 */
export function createFollower(options: FollowerOptions) {
  const { etcd, seals, keys, machine, local, name, log, silenceMs = SILENCE_MS } = options;
  const holder = `${name} ${encodeHex(randomBytes(8))}`;
  let isStopped = false;
  /** The sign of life that was seen last, and since when it is the last. */
  let seen: { revision: string; since: Instant } | null = null;
  /** Whether somebody gave a sign of life since this process began. */
  let hasSeenOthers = false;
  /** The last sign of life that was seen soon after it was given. */
  let live: { atMs: number; seen: Instant } | null = null;
  let readGroups = READ_GROUPS;
  let refusedBecause = "";
  let isMissed = false;

  async function readState(): Promise<State> {
    const entries = await etcd.list(keys.state, afterAll(keys.state), 10);
    const find = (key: string): Entry | undefined => entries.find((each) => each.key === key);
    const [head, term, beat] = [find(keys.head), find(keys.term), find(keys.beat)];
    const courier = find(keys.courier);
    return {
      beat: beat ? seals.open("beat", keys.beat, beat.value) : null,
      courier: courier ? seals.open("courier", keys.courier, courier.value).publicKey : null,
      head: head ? seals.open("head", keys.head, head.value) : null,
      term: term ? seals.open("term", keys.term, term.value) : null,
      revisions: {
        head: head?.revision ?? ABSENT,
        term: term?.revision ?? ABSENT,
        beat: beat?.revision ?? ABSENT,
      },
    };
  }

  /** Follows up to the head. */
  async function catchUp({ head, beat, term }: State) {
    const before = local.followed();
    if (before?.history === "") throw unshared();
    if (!head) {
      if (term || before) throw lostLog(before);
      if (hasMarks(local)) throw notYetShared();
      return;
    }
    const { history } = head;
    if (before && before.history !== history) throw begunAgain();
    const known = Math.max(before?.sequence ?? 0, beat?.sequence ?? 0);
    if (head.sequence < known) throw older(head.sequence, known);
    // A sign of life that is shown with an earlier term says that somebody else decides by now.
    if (beat && term && beat.term > term.number) throw older(head.sequence, head.sequence);
    let at = before ?? { history, sequence: 0, digest: digestOfMarks(local), heardMs: 0 };
    if (at.sequence === head.sequence && at.digest !== head.digest) throw forked(at.sequence);
    while (at.sequence < head.sequence) {
      const from = groupKey(keys, at.sequence + 1);
      const entries = await readSome(from, groupKey(keys, head.sequence + 1));
      if (entries.length === 0) throw trimmed(at.sequence + 1);
      at = followAll(at, entries);
    }
    if (at.digest !== head.digest) throw forked(at.sequence);
  }

  /** As many as etcd answers in time. */
  async function readSome(from: string, until: string): Promise<Entry[]> {
    try {
      const found = await etcd.list(from, until, readGroups);
      readGroups = Math.min(READ_GROUPS, 2 * readGroups);
      return found;
    } catch (error) {
      readGroups = Math.max(1, readGroups >> 1);
      throw error;
    }
  }

  /** In one transaction. */
  function followAll(from: Followed, entries: readonly Entry[]): Followed {
    let at = from;
    const buckets = new Map<number, Uint8Array>();
    let times: Times | undefined;
    const read = (bucket: number) => buckets.get(bucket) ?? local.read(bucket);
    for (const { key, value } of entries) {
      if (key !== groupKey(keys, at.sequence + 1)) throw trimmed(at.sequence + 1);
      const group = seals.open("group", key, value);
      if (group.previous !== at.digest) {
        throw at.sequence === 0 ? otherMarks() : forked(at.sequence);
      }
      const changed = withEntries(read, new Uint8Array(Buffer.from(group.entries, "base64")));
      for (const [bucket, content] of changed) buckets.set(bucket, content);
      times = group.times ?? times;
      const { sequence, atMs: heardMs } = group;
      at = { ...at, sequence, digest: digestOf(value), heardMs };
    }
    local.follow(buckets, at, times);
    return at;
  }

  /** Whether the signer that decides has been silent for so long that it has stopped. */
  function isSilent({ revisions, beat }: State): boolean {
    // It has ended its term, or there is none yet.
    if (beat === null) return true;
    if (seen?.revision === revisions.beat) return leastElapsedMs(machine, seen.since) > silenceMs;
    const since = instantOf(machine);
    if (seen) {
      hasSeenOthers = true;
      live = { atMs: beat.atMs, seen: since };
    }
    seen = { revision: revisions.beat, since };
    hear(beat.atMs);
    return false;
  }

  /**
   * Signs of life say when they were made, and which group was the last one, up to which this signer has followed. So
   * an old one that is shown later says nothing new.
   */
  function hear(beatMs: number) {
    const followed = local.followed();
    if (!followed || Math.abs(beatMs - followed.heardMs) < REMEMBER_HEARD_MS) return;
    // What a clock said that was ahead for a moment does not stay.
    local.follow(new Map(), { ...followed, heardMs: Math.min(beatMs, machine.now()) });
    local.sync();
  }

  /** By how much this machine's clock is ahead of that of the signer that decided, as far as that is known. */
  function offsetOf({ beat }: State): number {
    if (live) return machine.now() - live.atMs - leastElapsedMs(machine, live.seen);
    // Nobody knows how old the sign of life is, but it is not from the future.
    return Math.min(0, machine.now() - (beat?.atMs ?? 0));
  }

  /** Why this signer must not take over. Empty if it may. */
  function whyNot(state: State): string {
    const { term } = state;
    const offsetMs = offsetOf(state);
    if (Math.abs(offsetMs) > MAX_OFFSET_MS) {
      return `its clock differs by ${Math.round(offsetMs / 1000)} seconds from that of the signer that decided: correct the clock that is wrong`;
    }
    const followed = local.followed();
    // Nobody but a process of this name can have given signs of life in its term.
    const isOwn = !hasSeenOthers && term?.holder.startsWith(`${name} `);
    if (!followed || !term || isOwn) return "";
    // Marks that it has not heard of for long may be old, and nothing that others can write shows it.
    if (Math.abs(machine.now() - followed.heardMs) <= MAX_UNHEARD_MS) return "";
    return `it has not heard the signer that decided since ${new Date(followed.heardMs).toISOString()}: start that one, or, if its marks are lost and these are known to be the newest, stop all signers and run share-marks here`;
  }

  function mayTakeOver(state: State): boolean {
    const why = whyNot(state);
    if (why !== "" && why !== refusedBecause) log({ event: "does not take over", reason: why });
    refusedBecause = why;
    return why === "";
  }

  async function takeOver({ head, term, revisions, courier }: State): Promise<Term | null> {
    const since = instantOf(machine);
    const number = (term?.number ?? 0) + 1;
    const first = head ? null : firstGroup(seals, keys, { local, machine });
    const { sequence, digest } = local.followed() ?? first?.followed ?? { sequence: 0, digest: "" };
    const sign = { term: number, count: 0, atMs: since.now, sequence, digest };
    const unchanged = {
      [keys.term]: revisions.term,
      [keys.beat]: revisions.beat,
      [keys.head]: revisions.head,
    };
    const writes = [
      { put: keys.term, value: seals.seal("term", keys.term, { number, holder }) },
      { put: keys.beat, value: seals.seal("beat", keys.beat, sign) },
    ];
    if (first) writes.push(...first.writes);
    const revision = await etcd.writeIf(unchanged, writes);
    if (revision === null) return null;
    if (first) local.follow(new Map(), first.followed);
    return hold(
      number,
      { term: revision, head: first ? revision : revisions.head },
      since,
      courier,
    );
  }

  function hold(
    number: number,
    revisions: { term: string; head: string },
    since: Instant,
    courier: string | null,
  ): Term {
    const followed = local.followed();
    if (!followed) throw new Error("a term without marks");
    const known = { number, holder, revisions, followed, since, courier };
    return holdTerm({ ...{ etcd, seals, keys, machine, log, silenceMs }, ...known });
  }

  /** One look at etcd. Resolves with a term if this signer decides from now on. */
  async function look(lastAsked: Instant | null): Promise<Term | null> {
    const state = await readState();
    await catchUp(state);
    // An answer that was lost: the term is this signer's since it has asked.
    if (state.term?.holder === holder && lastAsked) {
      return hold(state.term.number, state.revisions, lastAsked, state.courier);
    }
    if (state.courier !== null) options.onCourier(state.courier);
    if (!isSilent(state) || !mayTakeOver(state)) return null;
    return takeOver(state);
  }

  return {
    holder,
    stop() {
      isStopped = true;
    },
    async becomeActive(): Promise<Term | null> {
      let asked: Instant | null = null;
      while (!isStopped) {
        const instant = instantOf(machine);
        try {
          const term = await look(asked);
          if (isMissed) log({ event: "etcd answers again" });
          isMissed = false;
          if (term) return term;
        } catch (error) {
          if (!(error instanceof EtcdError)) throw error;
          asked ??= instant;
          // What happened meanwhile was not seen, so silence is measured afresh.
          seen = null;
          if (!isMissed) log({ event: "etcd does not answer", cause: error });
          isMissed = true;
        }
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      return null;
    },
  };
}

/** Of all marks, in whatever order they came. */
function digestOfMarks(local: FollowingStore): string {
  let digest: Uint8Array = new Uint8Array(0);
  for (const [, content] of local.buckets()) {
    digest = sha256(Buffer.concat([digest, ...sortedEntries(content)]));
  }
  return encodeHex(sha256(digest));
}

function hasMarks(local: FollowingStore): boolean {
  const [first] = local.buckets();
  return first !== undefined;
}

/** With a signer's marks as they are, a history begins. */
export function firstGroup(
  seals: Seals,
  keys: Keys,
  { local, machine }: { local: FollowingStore; machine: Pick<Machine, "now"> },
): { writes: { put: string; value: Uint8Array }[]; followed: Followed } {
  const key = groupKey(keys, 1);
  const atMs = machine.now();
  const history = newHistory();
  const times = { clock: local.clock(), beginning: local.beginning() };
  const previous = digestOfMarks(local);
  const value = seals.seal("group", key, {
    ...{ sequence: 1, previous, term: 0, atMs, entries: "", times },
  });
  const digest = digestOf(value);
  const head = seals.seal("head", keys.head, { history, sequence: 1, digest });
  const writes = [
    { put: key, value },
    { put: keys.head, value: head },
  ];
  return { writes, followed: { history, sequence: 1, digest, heardMs: atMs } };
}

const COPY =
  "stop a signer that works with this etcd, and copy its state directory to this machine once more";
const SHARE =
  "stop all signers and run `npm run signer -- share-marks` on the machine of the one that decided last";

function notYetShared(): SignerStateError {
  return new SignerStateError(
    `etcd has no marks of this installation, and this signer has: to share them, ${SHARE}, and copy its state directory to the others`,
  );
}

function unshared(): SignerStateError {
  return new SignerStateError(
    "an operator has changed the marks or the clock of this signer: run `npm run signer -- share-marks` on its machine while all signers are stopped, and copy its state directory to the others",
  );
}

function begunAgain(): SignerStateError {
  return new SignerStateError(
    `an operator had the shared marks begin again, with those of another signer, or share-marks did not end here: run it again, or ${COPY}`,
  );
}

function lostLog(followed: Followed | null): SignerStateError {
  const known = followed ? ` up to change ${followed.sequence}` : "";
  return new SignerStateError(
    `etcd has no marks of this installation, but this signer has followed them${known}: it is another cluster, or it has lost them; correct KEYHEARTH_MARKS, or ${SHARE}`,
  );
}

function older(sequence: number, known: number): SignerStateError {
  return new SignerStateError(
    `the marks in etcd end with change ${sequence}, but change ${known} is known: etcd was put back to an older state; find out by whom, and ${SHARE}`,
  );
}

function forked(sequence: number): SignerStateError {
  return new SignerStateError(
    `change ${sequence} of the marks in etcd is not the one that this signer has followed: the history was forked; find out by whom, and ${COPY}`,
  );
}

function trimmed(sequence: number): SignerStateError {
  return new SignerStateError(
    `etcd no longer has change ${sequence} of the marks, which this signer needs next; ${COPY}`,
  );
}

function otherMarks(): SignerStateError {
  return new SignerStateError(
    `the marks of this signer are not those with which the signers of this etcd began, so one of them is older: if this one decided last, ${SHARE}, and otherwise ${COPY}`,
  );
}
