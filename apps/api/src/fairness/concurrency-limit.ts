import { ApiError } from "@keyhearth/engine/errors";
import { LONGEST_WAIT_MS, waitInLine } from "./line.ts";

/** How many requests of one organization are under way, so that none fills the host. */
export type ConcurrencyLimit = {
  /**
   * Does the work when there is a place for it. If many requests of the organization are under way,
   * only genuine ones get in: others must not be able to fill its places. The rest are refused.
   */
  run<T>(
    organizationId: string,
    hasKnownStamp: () => Promise<boolean>,
    work: () => Promise<T>,
    refusal?: () => ApiError,
  ): Promise<T>;
  /** Whether only genuine requests get in. */
  isBusy(organizationId: string): boolean;
  /** How many requests of an organization are under way or wait. */
  taken(organizationId: string): number;
};

type Room = { taken: number; working: number; waiting: (() => void)[] };

export type ConcurrencyBounds = {
  /** Requests that get in without a question. */
  free: number;
  /** Requests that may be under way or wait. */
  most: number;
  /** Requests that may be under way. */
  atOnce: number;
  waitMs?: number;
};

/** Of one organization, or of all signups together. */
export const SUBMISSION_BOUNDS: ConcurrencyBounds = { free: 64, most: 256, atOnce: 256 };

export function createConcurrencyLimit({
  free,
  most,
  atOnce,
  waitMs = LONGEST_WAIT_MS,
}: ConcurrencyBounds): ConcurrencyLimit {
  const rooms = new Map<string, Room>();

  function enter(organizationId: string, refusal: () => ApiError): Room {
    const room = rooms.get(organizationId) ?? { taken: 0, working: 0, waiting: [] };
    if (room.taken >= most) throw refusal();
    rooms.set(organizationId, room);
    room.taken += 1;
    return room;
  }

  function leave(organizationId: string, room: Room) {
    room.taken -= 1;
    if (room.taken === 0) rooms.delete(organizationId);
  }

  const taken = (organizationId: string) => rooms.get(organizationId)?.taken ?? 0;
  const isBusy = (organizationId: string) => taken(organizationId) >= free;

  return {
    isBusy,
    taken,
    async run(organizationId, hasKnownStamp, work, refusal = tooMany) {
      // A request takes no place while it is checked.
      if (isBusy(organizationId) && !(await hasKnownStamp())) throw refusal();
      const room = enter(organizationId, refusal);
      try {
        if (room.working < atOnce) room.working += 1;
        else await waitInLine(waitMs, (call) => joinLine(room, call));
        try {
          return await work();
        } finally {
          // The next request that waits takes over the place.
          const next = room.waiting.shift();
          if (next) next();
          else room.working -= 1;
        }
      } finally {
        leave(organizationId, room);
      }
    },
  };
}

function joinLine({ waiting }: Room, call: () => void): () => void {
  waiting.push(call);
  return () => void waiting.splice(waiting.indexOf(call), 1);
}

export function tooMany(): ApiError {
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    "too many requests of this organization are under way; wait for the answers of some and send the rest again",
  );
}
