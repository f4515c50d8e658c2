import { hostname } from "node:os";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import type { Answer, Request } from "@keyhearth/engine/core/protocol";
import { ApiError, toErrorMessage } from "@keyhearth/engine/errors";
import { installationIdOf } from "@keyhearth/engine/vault/ids";
import type { Keyring } from "@keyhearth/engine/vault/keyring";
import { type Machine, theMachine } from "../clock/clock.ts";
import type { Followed, FollowingStore, MarksStore } from "../marks/marks-store.ts";
import { SignerStateError } from "../state/state-error.ts";
import type { Elsewhere, Handled, Hints } from "../turns/fair-queue.ts";
import { checkEndpoints } from "./check-endpoints.ts";
import { ABSENT, connectToEtcd, type EtcdAddress, EtcdError } from "./etcd.ts";
import { createFollower, firstGroup } from "./follow.ts";
import { createSeals } from "./groups.ts";
import { joinMembers, type Membership } from "./membership.ts";
import { createSharedStore, type SharedStore } from "./shared-store.ts";
import { afterAll, groupKey, keysOf, SILENCE_MS, type Term, TermLost } from "./term.ts";

const LOST_TOUCH = "this signer has lost touch with etcd";

export const NAME_VARIABLE = "KEYHEARTH_SIGNER_NAME";

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

export function parseName(text: string | undefined): string {
  const name = text?.trim() || hostname();
  if (NAME.test(name)) return name;
  throw new SignerStateError(
    `the name of this signer is \`${name.slice(0, 80)}\`; set --name or ${NAME_VARIABLE} to 1 to 64 letters, digits, dots, hyphens or underscores`,
  );
}

/** A signer that works with these marks. */
type Working = { answer(request: Request, hints?: Hints): Handled; close(): void };

export type SharedSignerOptions = {
  etcd: EtcdAddress;
  name: string;
  keyring: Keyring;
  local: FollowingStore;
  /** Starts the core. Of a standby, it is asked for its description only. */
  start: (marks: MarksStore, isStandby: boolean) => Working;
  /** To whom messages are sealed, in hex. A signer that trusts nobody yet trusts whom the others do. */
  courier: { key(): string | null; adopt(publicKey: string): void };
  log: (event: CoreEvent) => void;
  machine?: Machine;
  silenceMs?: number;
  /** It takes over no earlier. */
  ready?: Promise<void>;
};

export type SharedSigner = {
  answer(request: Request, hints?: Hints): Handled;
  isActive(): boolean;
  /** How far it follows the shared marks. */
  followed(): Followed | null;
  /** Rejects once this signer must stop: the next start of it is a standby. Never resolves. */
  readonly ended: Promise<never>;
  close(): Promise<void>;
};

/**
 * One of several signers of an installation (decision 30). It follows their marks as a standby, and takes over if the one
 * that decides is silent. What it then decides leaves only while nobody else can have taken over, and when its marks
 * are in etcd.
 */
export function shareMarks(options: SharedSignerOptions): SharedSigner {
  const { name, keyring, local, start, courier, log, machine = theMachine, silenceMs } = options;
  const installationId = installationIdOf(keyring);
  const etcd = connectToEtcd(options.etcd);
  const seals = createSeals(keyring, installationId);
  const common = { etcd, seals, keys: keysOf(installationId), machine, local, name, log };
  const onCourier = (publicKey: string) => {
    if (courier.key() === null) courier.adopt(publicKey);
  };
  const follower = createFollower({
    ...common,
    onCourier,
    ...(silenceMs !== undefined && { silenceMs }),
  });
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  const isActive = () => active !== null;
  const { holder } = follower;
  const termRevision = () => active?.term.revision ?? null;
  let members: Membership | null = null;
  let isClosed = false;

  let standby: Working | null = start(asStandby(local), true);
  let active: { term: Term; store: SharedStore; core: Working } | null = null;

  async function run() {
    await Promise.all([options.ready, checkEndpoints(etcd, common.keys.head, log)]);
    if (isClosed) return;
    members = joinMembers({ ...common, holder, termRevision });
    members.lost.catch((error: unknown) => ended.reject(error));
    log({ event: "standby", name });
    const term = await follower.becomeActive();
    if (!term) return;
    standby?.close();
    standby = null;
    const failed = Promise.withResolvers<never>();
    const store = createSharedStore(local, term.append, failed.reject);
    active = { term, store, core: start(store, false) };
    log({ event: "active", name, term: term.number });
    await Promise.race([term.lost, failed.promise, watch(term)]);
  }

  /** Shares what else the others need, and rejects once the signer has been without etcd for long. */
  async function watch(term: Term): Promise<never> {
    let heldAt = machine.running();
    for (;;) {
      await new Promise((resolve) => {
        setTimeout(resolve, 100).unref();
      });
      const key = courier.key();
      if (term.isHeld()) {
        heldAt = machine.running();
        if (key !== null) await term.shareCourier(key).catch(() => {});
      } else if (machine.running() - heldAt > 2 * (silenceMs ?? SILENCE_MS)) {
        // Another signer may decide by now, and the connections of this one would keep the host here.
        throw new TermLost("without etcd nobody knows whether another signer has taken over");
      }
    }
  }
  run().catch((error: unknown) => ended.reject(error));

  function hold(answer: Answer, by: NonNullable<typeof active>): Exclude<Handled, Elsewhere> {
    const { term, store } = by;
    const again = () => (): Handled => hold(answer, by);
    // A long call kept the sign of life back. If etcd takes the next one, nobody has taken over since the last.
    if (!term.isHeld()) return { kind: "waiting", work: term.nextSign().then(again), isDone: true };
    const settled = store.settled();
    if (settled) return { kind: "waiting", work: settled.then(again), isDone: true };
    return answer.kind === "description" ? { ...answer, ...ofShared(false) } : answer;
  }

  /** What a description says of a signer that shares its marks. */
  function ofShared(isStandby: boolean) {
    const history = local.followed()?.history;
    return { isStandby, ...(history && { history }) };
  }

  /** What comes of the call, and when. */
  function gate(handled: Handled, by: NonNullable<typeof active>): Handled {
    if (handled instanceof Promise) return handled.then((rest) => () => gate(rest(), by));
    if (handled.kind === "elsewhere") {
      const work = handled.work.then((step) => ({ ...step, handled: gateHere(step.handled, by) }));
      return { kind: "elsewhere", work };
    }
    return gateHere(handled, by);
  }

  function gateHere(
    handled: Exclude<Handled, Elsewhere>,
    by: NonNullable<typeof active>,
  ): Exclude<Handled, Elsewhere> {
    if (handled instanceof Promise) return handled.then((rest) => () => gate(rest(), by));
    if (handled.kind !== "waiting") return hold(handled, by);
    return { kind: "waiting", work: handled.work.then((rest) => () => gate(rest(), by)) };
  }

  return {
    isActive,
    followed: () => local.followed(),
    ended: ended.promise,
    answer(request, hints) {
      // Nothing is begun that could not be answered.
      if (active?.term.isHeld()) return gate(active.core.answer(request, hints), active);
      const core = active ? active.core : standby;
      if (request.call !== "describe" || !core) {
        return refusal(active ? LOST_TOUCH : "this signer is a standby");
      }
      // It trusts nobody on the word of a host.
      const { courierKey: _, ...rest } = request;
      const described = core.answer(rest);
      if (described instanceof Promise || described.kind !== "description") return described;
      return { ...described, ...ofShared(true), nowMs: machine.now() };
    },
    async close() {
      isClosed = true;
      follower.stop();
      members?.stop();
      standby?.close();
      if (active) {
        const { term, store, core } = active;
        core.close();
        await Promise.race([
          store.settled()?.catch(() => {}),
          new Promise((resolve) => setTimeout(resolve, 1000)),
        ]);
        await term.end();
      }
      local.close();
      etcd.close();
    },
  };
}

/**
 * Has a history begin with these marks, in place of the one that is there. Refuses while a signer gives signs of life.
 */
export async function beginHistory(
  address: EtcdAddress,
  { keyring, local }: { keyring: Keyring; local: FollowingStore },
  machine: Machine = theMachine,
) {
  const etcd = connectToEtcd(address);
  const installationId = installationIdOf(keyring);
  const keys = keysOf(installationId);
  try {
    const seals = createSeals(keyring, installationId);
    const revisionOf = async (key: string) => (await etcd.get(key))?.revision ?? ABSENT;
    const before = await revisionOf(keys.beat);
    await new Promise((resolve) => setTimeout(resolve, before === ABSENT ? 0 : 2 * SILENCE_MS));
    const beat = await revisionOf(keys.beat);
    if (beat !== before) {
      throw new SignerStateError(
        "a signer works with this etcd: stop all signers first; nothing was changed",
      );
    }
    const head = await etcd.get(keys.head);
    const known = head ? seals.open("head", keys.head, head.value).sequence : 0;
    const own = local.followed()?.sequence ?? 0;
    if (own < known) {
      throw new SignerStateError(
        `etcd has marks up to change ${known}, and this signer has followed them up to change ${own}, so it does not have the newest: start it, wait until it is active or a standby, stop it and run this again, or run this on the signer that has them; nothing was changed`,
      );
    }
    const unchanged = {
      [keys.beat]: beat,
      [keys.term]: await revisionOf(keys.term),
      [keys.head]: head?.revision ?? ABSENT,
    };
    const { writes, followed } = firstGroup(seals, keys, { local, machine });
    const removed = [keys.term, keys.beat, keys.courier].map((key) => ({
      ...{ remove: key, until: `${key}\0` },
    }));
    const isDone = await etcd.writeIf(unchanged, [
      ...writes,
      ...removed,
      { remove: groupKey(keys, 2), until: afterAll(keys.log) },
      { remove: keys.members, until: afterAll(keys.members) },
    ]);
    if (isDone === null) {
      throw new SignerStateError(
        "another signer wrote to etcd meanwhile: stop all signers first; nothing was changed",
      );
    }
    local.follow(new Map(), followed);
    local.sync();
  } catch (cause) {
    if (!(cause instanceof EtcdError)) throw cause;
    throw new SignerStateError(`${cause.message}; run this again`, { cause });
  } finally {
    etcd.close();
  }
}

/** The marks of a signer that decides nothing. */
function asStandby(local: FollowingStore): MarksStore {
  const refuse = () => {
    throw new Error("a standby writes no marks");
  };
  return {
    ...local,
    write: refuse,
    replaceClock: refuse,
    rememberClock() {},
    sync() {},
    close() {},
  };
}

function refusal(why: string): Answer {
  const error = new ApiError("UNAVAILABLE", "SIGNER_UNAVAILABLE", `${why}; try again in a moment`);
  return { kind: "error", error: toErrorMessage(error) };
}
