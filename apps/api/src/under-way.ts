import { ApiError } from "@keyhearth/engine/errors";
import type { Families, Owner } from "./families.ts";

/**
 * The memory of what is under way: large requests, and answers until their last byte has left. It is
 * bounded for each organization, for each family and in total, so that nobody fills the service with
 * answers that nobody reads.
 */
export type UnderWay = {
  /** Takes so many bytes, once there is room for them. Throws if that takes too long. */
  take(owner: Owner, bytes: number): Promise<Held>;
  /** What an organization, or all together, hold now. */
  heldBy(organizationId: string): number;
  readonly total: number;
};

/** Bytes that were taken, to be given back. */
export type Held = {
  /** Gives back what was not needed, or notes that it was more. */
  resize(bytes: number): void;
  release(): void;
};

export type UnderWayLimits = {
  organization: number;
  family: number;
  total: number;
  /** How many requests of a family wait for room, and how long. */
  mostWaiting: number;
  waitMs: number;
};

const MB = 1024 * 1024;

export const UNDER_WAY_LIMITS: UnderWayLimits = {
  organization: 16 * MB,
  family: 32 * MB,
  total: 96 * MB,
  mostWaiting: 64,
  waitMs: 10_000,
};

type Waiting = { owner: Owner; bytes: number; admit: () => void };

type State = {
  limits: UnderWayLimits;
  total: number;
  organizations: Map<string, number>;
  families: Map<string, number>;
  waiting: Set<Waiting>;
};

export function createUnderWay(limits: UnderWayLimits = UNDER_WAY_LIMITS): UnderWay {
  const state: State = {
    limits,
    total: 0,
    organizations: new Map(),
    families: new Map(),
    waiting: new Set(),
  };
  return {
    async take(owner, bytes) {
      if (!fits(state, owner, bytes)) await waitForRoom(state, owner, bytes);
      else add(state, owner, bytes);
      return holdOf(state, owner, bytes);
    },
    heldBy: (organizationId) => state.organizations.get(organizationId) ?? 0,
    get total() {
      return state.total;
    },
  };
}

function holdOf(state: State, owner: Owner, bytes: number): Held {
  let held = bytes;
  let isReleased = false;
  const resize = (next: number) => {
    if (isReleased) return;
    add(state, owner, next - held);
    held = next;
    admitWaiting(state);
  };
  return {
    resize,
    release() {
      resize(0);
      isReleased = true;
    },
  };
}

/**
 * A family that holds nothing yet gets room even if others have taken all of it, up to twice as much. So one
 * request always fits, and no family keeps out another one.
 */
function fits({ limits, ...state }: State, owner: Owner, bytes: number): boolean {
  const ofFamily = state.families.get(owner.familyId) ?? 0;
  const ofOrganization = state.organizations.get(owner.organizationId) ?? 0;
  const most = ofFamily === 0 ? 2 * limits.total : limits.total;
  if (state.total > 0 && state.total + bytes > most) return false;
  if (ofFamily > 0 && ofFamily + bytes > limits.family) return false;
  return ofOrganization === 0 || ofOrganization + bytes <= limits.organization;
}

function add(state: State, { organizationId, familyId }: Owner, bytes: number) {
  state.total += bytes;
  change(state.organizations, organizationId, bytes);
  change(state.families, familyId, bytes);
}

function change(held: Map<string, number>, id: string, bytes: number) {
  const next = (held.get(id) ?? 0) + bytes;
  if (next === 0) held.delete(id);
  else held.set(id, next);
}

function waitForRoom(state: State, owner: Owner, bytes: number): Promise<void> {
  const { mostWaiting, waitMs } = state.limits;
  const others = [...state.waiting].filter((each) => each.owner.familyId === owner.familyId);
  if (others.length >= mostWaiting) throw noRoom();
  return new Promise((resolve, reject) => {
    const waiting: Waiting = {
      owner,
      bytes,
      admit() {
        clearTimeout(timer);
        state.waiting.delete(waiting);
        add(state, owner, bytes);
        resolve();
      },
    };
    const timer = setTimeout(() => {
      state.waiting.delete(waiting);
      reject(noRoom());
    }, waitMs);
    timer.unref();
    state.waiting.add(waiting);
  });
}

/** In the order in which they came, except those for which there is no room yet. */
function admitWaiting(state: State) {
  for (const waiting of state.waiting) {
    if (fits(state, waiting.owner, waiting.bytes)) waiting.admit();
  }
}

/** An answer of this length takes room until its last byte has left. */
const LARGE_ANSWER = 64 * 1024;

/** Takes the room of an answer that exists already. Null for a small one. */
export async function holdAnswer(
  { underWay, families }: { underWay: UnderWay; families: Families },
  organizationId: string,
  { length }: string,
): Promise<Held | null> {
  if (length < LARGE_ANSWER) return null;
  return underWay.take(await families.ownerOf(organizationId), 2 * length);
}

function noRoom(): ApiError {
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    "large answers of this organization, or of its parent and its sub-organizations, have not been read yet; read them and send the same bytes again",
  );
}
