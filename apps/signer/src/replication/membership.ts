import type { FollowingStore } from "../marks/marks-store.ts";
import { SignerStateError } from "../state/state-error.ts";
import { ABSENT, EtcdError } from "./etcd.ts";
import { afterAll, groupKey, type Meeting } from "./term.ts";

/** Tells the others how far this signer follows, so that etcd keeps what it still needs. */
export type Membership = {
  /** Rejects once another signer has started under the same name. Never resolves. */
  readonly lost: Promise<never>;
  stop(): void;
};

const TELL_MS = 1000;
const TIDY_MS = 30_000;
/** How much of its own history etcd keeps at least, for others who use it. */
const PAST_MS = 10 * 60_000;
/** Kept although all follow: a state directory that is being copied is a little older. */
const KEPT_GROUPS = 10_000;
/** Beyond this a signer that is away has to be copied again. */
const MAX_GROUPS = 200_000;
/** After this nothing is kept for a signer that has not come back. */
const MAX_ABSENCE_MS = 7 * 24 * 60 * 60 * 1000;
const MEMBERS_A_READ = 100;
const GROUPS_A_STEP = 1000;
const MAX_STEPS = 20;

export function joinMembers({
  etcd,
  seals,
  keys,
  machine,
  local,
  name,
  holder,
  termRevision,
  log,
  tellMs = TELL_MS,
  keptGroups = KEPT_GROUPS,
}: Meeting & {
  local: FollowingStore;
  name: string;
  holder: string;
  /** Of the term in which this signer decides, or null. */
  termRevision: () => string | null;
  tellMs?: number;
  keptGroups?: number;
}): Membership {
  const key = `${keys.members}${name}`;
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  let revision: string | null = null;
  let found: string | null = null;
  let tidiedAt = machine.running();
  let isStopped = false;
  let isRefused = false;
  /** Where etcd was at an earlier time: what is older than that is of no use to anybody. */
  let past: { revision: string; running: number } | null = null;

  async function tell() {
    const entry = await etcd.get(key);
    const now = entry?.revision ?? ABSENT;
    const isOwn = entry && seals.open("member", key, entry.value).holder === holder;
    // An answer that was lost: what is there is this signer's own.
    if (isOwn) revision = now;
    if (revision !== null && entry && now !== revision) throw sameName(name);
    // Another signer of this name may be alive.
    if (revision === null && entry && found !== now) {
      if (found !== null) throw sameName(name);
      found = now;
      await new Promise((resolve) => setTimeout(resolve, 2 * tellMs));
      return;
    }
    const sequence = local.followed()?.sequence ?? 0;
    const value = seals.seal("member", key, { holder, sequence, atMs: machine.now() });
    revision = (await etcd.writeIf({ [key]: now }, [{ put: key, value }])) ?? revision;
    past ??= revision === null ? null : { revision, running: machine.running() };
  }

  /** By the signer that decides: groups that nobody needs, members that have not come back, and etcd's own history. */
  async function tidy() {
    const revision = termRevision();
    const everyMs = TIDY_MS * (tellMs / TELL_MS);
    if (revision === null || machine.running() - tidiedAt < everyMs) return;
    tidiedAt = machine.running();
    // Nothing is removed from a history that another signer has begun meanwhile.
    const inTerm = { [keys.term]: revision };
    const last = local.followed()?.sequence ?? 0;
    let needed = Math.max(1, Math.min(last - keptGroups, await leastFollowed(inTerm)));
    needed = Math.max(needed, last - MAX_GROUPS);
    for (let step = 0; step < MAX_STEPS; step++) {
      const [first] = await etcd.list(keys.log, groupKey(keys, needed), 1);
      if (!first) break;
      // All at once, it would stop etcd for longer than a term lasts.
      const upTo = Math.min(needed, Number(first.key.slice(keys.log.length)) + GROUPS_A_STEP);
      await etcd.writeIf(inTerm, [{ remove: keys.log, until: groupKey(keys, upTo) }]);
    }
    if (past && machine.running() - past.running > PAST_MS) {
      await etcd.compact(past.revision);
      past = null;
    }
  }

  /** How far the slowest member follows. Those that have been away for too long are removed. */
  async function leastFollowed(inTerm: Readonly<Record<string, string>>): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    let from = keys.members;
    for (;;) {
      const found = await etcd.list(from, afterAll(keys.members), MEMBERS_A_READ);
      for (const { key: each, value, revision: at } of found) {
        const { sequence, atMs } = seals.open("member", each, value);
        if (machine.now() - atMs <= MAX_ABSENCE_MS) least = Math.min(least, sequence);
        else await etcd.writeIf({ ...inTerm, [each]: at }, [{ remove: each, until: `${each}\0` }]);
      }
      const end = found.at(-1);
      if (!end || found.length < MEMBERS_A_READ) return least;
      from = `${end.key}\0`;
    }
  }

  async function run() {
    try {
      await tell();
      await tidy();
      isRefused = false;
    } catch (error) {
      if (!(error instanceof EtcdError)) {
        if (!isStopped) log({ event: "stops", cause: error });
        return lost.reject(error);
      }
      // Otherwise etcd's disk fills, and nobody learns why.
      if (!isRefused) log({ event: "etcd does not do what keeps it small", cause: error });
      isRefused = true;
    }
    if (!isStopped) timer = setTimeout(() => void run(), tellMs);
  }
  let timer = setTimeout(() => void run(), 0);
  return {
    lost: lost.promise,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function sameName(name: string): SignerStateError {
  return new SignerStateError(
    `another signer named \`${name}\` has started with the same etcd; give each signer of an installation a name of its own with --name or KEYHEARTH_SIGNER_NAME`,
  );
}
