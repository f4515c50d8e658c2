import { ApiError } from "@keyhearth/engine/errors";
import { type Families, groupOf, type Owner } from "./families.ts";

/**
 * The memory of what is under way: large requests, and answers until their last byte has left. It is bounded
 * for each organization, for all sub-organizations of a parent together and in total, so that nobody fills the
 * service with answers that nobody reads.
 */
export type UnderWay = {
  /** Takes so many bytes. Null if there is no room now. */
  tryTake(owner: Owner, bytes: number): Held | null;
  /** Takes so many bytes, once there is room. Throws if that takes too long. */
  take(owner: Owner, bytes: number): Promise<Held>;
  /** What an organization, or all together, hold now. */
  heldBy(organizationId: string): number;
  readonly total: number;
};

/** Bytes that were taken, to be given back. */
export type Held = {
  /** Takes so many bytes instead. False if there is no room now. */
  tryResize(bytes: number): boolean;
  /** Gives back what was not needed, or notes that it was more. */
  resize(bytes: number): void;
  release(): void;
  /** Releases what an answer holds when its last byte has left, or when its reader is too slow for others. */
  releaseWhenSent(whenSent: WhenSent): void;
};

/** Calls back when the last byte of an answer has left. Null if that was at once. */
export type WhenSent = (callBack: () => void) => Connection | null;

export type Connection = {
  /** How many bytes have left. */
  sent(): number;
  cut(): void;
};

type Bounds = {
  /** Of a top-level organization, apart from its sub-organizations. */
  organization: number;
  subOrganization: number;
  /** Of all sub-organizations of a parent together. */
  subOrganizations: number;
  total: number;
};

export type UnderWayLimits = Bounds & {
  /** How many requests wait for room, and how long. */
  waiting: Bounds;
  waitMs: number;
  /** A reader who took little for so long is cut if others wait. */
  patienceMs: number;
};

const MB = 1024 * 1024;

export const UNDER_WAY_LIMITS: UnderWayLimits = {
  organization: 16 * MB,
  subOrganization: 4 * MB,
  subOrganizations: 32 * MB,
  total: 96 * MB,
  waiting: { organization: 64, subOrganization: 16, subOrganizations: 64, total: 256 },
  waitMs: 10_000,
  patienceMs: 5000,
};

/** Reading more slowly than this, in bytes a second, is little. */
const SLOW = 64 * 1024;

/** Holding no more than this part of a bound that others have filled, one gets room beyond it. */
const SMALL_PART = 1 / 32;

export type Bound = { holder: string; most: number };
type FullBound = Bound & { isOfOthers: boolean };
type Waiting = { owner: Owner; admit: () => void };
type Leaving = {
  owner: Owner;
  connection: Connection;
  held: Held;
  bytes: number;
  /** What had left at a look. */
  seen?: { sent: number; atMs: number };
  /** How much left between the last two of them, in bytes a second. */
  rate?: number;
};

type State = {
  limits: UnderWayLimits;
  /** Bytes, by their holder. */
  held: Map<string, number>;
  /** Requests that wait, by their holder. */
  waits: Map<string, number>;
  waiting: Set<Waiting>;
  leaving: Set<Leaving>;
  looks: NodeJS.Timeout | undefined;
};

export function createUnderWay(limits: UnderWayLimits = UNDER_WAY_LIMITS): UnderWay {
  const state: State = {
    limits,
    held: new Map(),
    waits: new Map(),
    waiting: new Set(),
    leaving: new Set(),
    looks: undefined,
  };
  const tryTake = (owner: Owner, bytes: number) =>
    findFull(state.held, boundsOf(owner, limits)) ? null : take(state, owner, bytes);
  return {
    tryTake,
    async take(owner, bytes) {
      return tryTake(owner, bytes) ?? (await waitForRoom(state, owner, bytes));
    },
    heldBy: (organizationId) => state.held.get(organizationId) ?? 0,
    get total() {
      return state.held.get(ALL) ?? 0;
    },
  };
}

function take(state: State, owner: Owner, bytes: number): Held {
  let taken = 0;
  let isReleased = false;
  let leaving: Leaving | undefined;
  const bounds = boundsOf(owner, state.limits);
  const note = (next: number) => {
    add(state.held, bounds, next - taken);
    taken = next;
  };
  const held: Held = {
    tryResize(next) {
      const before = taken;
      note(0);
      const isFull = findFull(state.held, bounds) !== undefined;
      note(isFull ? before : next);
      return !isFull;
    },
    resize(next) {
      if (isReleased) return;
      note(next);
      admitWaiting(state);
    },
    release() {
      held.resize(0);
      isReleased = true;
      if (leaving) state.leaving.delete(leaving);
    },
    releaseWhenSent(whenSent) {
      const connection = whenSent(held.release);
      if (!connection || isReleased) return;
      leaving = { owner, connection, held, bytes: taken };
      state.leaving.add(leaving);
      lookLater(state);
    },
  };
  note(bytes);
  return held;
}

const ALL = "all";

/** Whose bounds apply: from all together down to the organization. An application has its room for itself. */
function boundsOf(owner: Owner, limits: Bounds): Bound[] {
  const { organizationId, familyId } = owner;
  const all = { holder: ALL, most: limits.total };
  if (organizationId === familyId) {
    return [all, { holder: organizationId, most: limits.organization }];
  }
  return [
    all,
    { holder: groupOf(owner), most: limits.subOrganizations },
    { holder: organizationId, most: limits.subOrganization },
  ];
}

/**
 * The narrowest bound that is full. One who holds little still gets room within a bound that others have filled, up
 * to twice as much. So nobody keeps out others, and each holds at most one request more than the bound.
 */
export function findFull(amounts: Map<string, number>, bounds: Bound[]): FullBound | undefined {
  return bounds
    .map((bound, index) => {
      const part = bounds[index + 1];
      const ofPart = part && (amounts.get(part.holder) ?? 0);
      return { ...bound, isOfOthers: ofPart !== undefined && ofPart <= bound.most * SMALL_PART };
    })
    .findLast(
      ({ holder, most, isOfOthers }) => (amounts.get(holder) ?? 0) >= (isOfOthers ? 2 : 1) * most,
    );
}

export function add(amounts: Map<string, number>, bounds: Bound[], amount: number) {
  for (const { holder } of bounds) {
    const next = (amounts.get(holder) ?? 0) + amount;
    if (next === 0) amounts.delete(holder);
    else amounts.set(holder, next);
  }
}

function waitForRoom(state: State, owner: Owner, bytes: number): Promise<Held> {
  const bounds = boundsOf(owner, state.limits.waiting);
  if (findFull(state.waits, bounds)) throw noRoom();
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      state.waiting.delete(waiting);
      add(state.waits, bounds, -1);
    };
    const waiting: Waiting = {
      owner,
      admit() {
        end();
        resolve(take(state, owner, bytes));
      },
    };
    const timer = setTimeout(() => {
      end();
      reject(noRoom());
    }, state.limits.waitMs);
    timer.unref();
    state.waiting.add(waiting);
    add(state.waits, bounds, 1);
  });
}

/** In the order in which they came, except those for which there is no room yet. */
function admitWaiting(state: State) {
  for (const waiting of state.waiting) {
    if (!findFull(state.held, boundsOf(waiting.owner, state.limits))) waiting.admit();
  }
}

const LOOKS = 5;

/** While answers leave, so that it is known who is slow when somebody waits. */
function lookLater(state: State) {
  if (state.leaving.size === 0) return;
  state.looks ??= setTimeout(() => {
    state.looks = undefined;
    look(state);
    lookLater(state);
  }, state.limits.patienceMs / LOOKS).unref();
}

function look(state: State) {
  const atMs = performance.now();
  for (const leaving of state.leaving) {
    const { seen, connection } = leaving;
    if (seen && atMs - seen.atMs < state.limits.patienceMs) continue;
    const sent = connection.sent();
    if (seen) leaving.rate = (1000 * (sent - seen.sent)) / (atMs - seen.atMs);
    leaving.seen = { sent, atMs };
  }
  for (const waiting of [...state.waiting]) makeRoom(state, waiting);
}

/** Cuts the slowest readers in the way of a request, until there is room for it. */
function makeRoom(state: State, waiting: Waiting) {
  while (state.waiting.has(waiting)) {
    const full = findFull(state.held, boundsOf(waiting.owner, state.limits));
    const slowest = full && findSlowest(state, full);
    if (!slowest) return;
    slowest.held.release();
    slowest.connection.cut();
  }
}

/** If others fill all that one who holds little could get, the slowest of them makes room, however fast it is. */
function findSlowest(state: State, { holder, isOfOthers }: FullBound): Leaving | undefined {
  let slowest: Leaving | undefined;
  let least = isOfOthers ? Number.POSITIVE_INFINITY : SLOW;
  for (const leaving of state.leaving) {
    const { owner, rate, bytes } = leaving;
    if (rate === undefined || rate > least) continue;
    if (rate === least && slowest && slowest.bytes >= bytes) continue;
    if (!boundsOf(owner, state.limits).some((bound) => bound.holder === holder)) continue;
    slowest = leaving;
    least = rate;
  }
  return slowest;
}

/** An answer of this length takes room until its last byte has left. */
const LARGE_ANSWER = 64 * 1024;

/** Takes the room of an answer that exists already. Null for a small one. */
export async function holdAnswer(
  { underWay, families }: { underWay: UnderWay; families: Families },
  organizationId: string,
  { length }: string | Uint8Array,
): Promise<Held | null> {
  if (length < LARGE_ANSWER) return null;
  return underWay.take(await families.ownerOf(organizationId), 2 * length);
}

function noRoom(): ApiError {
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    "large answers of this organization, or of other sub-organizations of its parent, have not been read yet; read them and send the same bytes again",
  );
}
