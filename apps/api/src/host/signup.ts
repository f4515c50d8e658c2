import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import { ApiError } from "@keyhearth/engine/errors";
import { networkOf, regionOf, siteOf } from "@keyhearth/outbound/counted-addresses";
import { RateLimited, TryLater } from "../errors.ts";
import { partOfNumber } from "../part-of.ts";
import type { SignupPlace } from "../store/signups.ts";
import { createInFlight, type InFlight } from "./in-flight.ts";
import {
  createAddressLimit,
  createRateLimit,
  type NewRateLimit,
  type RateLimit,
} from "./rate-limit.ts";

/**
 * Who may create a top-level organization. Nobody asked for such an organization, and it is stored for
 * good, so the limits are much lower than those of other requests.
 */
export type Signup = {
  isOpen: boolean;
  /** Null if requests are not limited at all. */
  limits: { perAddress: RateLimit; total: RateLimit; reserve: Reserve; inFlight: InFlight } | null;
};

/**
 * What is left for others when some addresses have used up the total: each region has a few of it, so that a hundred
 * machines at one or two providers do not close signup for everybody.
 */
type Reserve = { perRegion: RateLimit; total: RateLimit };

/**
 * Creates the organization. It calls `charge` when the core has verified the request, before the commit. `isAlone` says
 * that the sender's address creates no other one at this time.
 */
export type Found<T> = (charge: () => void, isAlone: boolean) => Promise<T>;

/** One address creates this many at once, and as many again within an hour. */
export const PER_ADDRESS = 10;

/** All addresses together. About 8 KB are stored for each: less than 200 MB a day, and as much again in reserve. */
export const IN_TOTAL = 1000;

/** Beyond that, the addresses of one region. */
export const PER_REGION = 5;

/** All signups share the places of one organization, so an address takes only a few of them. */
export const AT_ONCE = 4;

const HOUR_S = 3600;

export function createSignup({
  isOpen,
  isLimited,
  newRateLimit = createRateLimit,
  workers = 1,
}: {
  isOpen: boolean;
  isLimited: boolean;
  newRateLimit?: NewRateLimit;
  workers?: number;
}): Signup {
  if (!isLimited) return { isOpen, limits: null };
  const perHour = (name: string, most: number) => ({ name, perSecond: most / HOUR_S, burst: most });
  const perAddress = createAddressLimit(perHour("signup-address", PER_ADDRESS), newRateLimit);
  const total = newRateLimit(perHour("signup", IN_TOTAL));
  const reserve = {
    perRegion: newRateLimit(perHour("signup-region", PER_REGION)),
    total: newRateLimit(perHour("signup-reserve", IN_TOTAL)),
  };
  const inFlight = createInFlight(partOfNumber(AT_ONCE, workers), tooManyAtOnce);
  return { isOpen, limits: { perAddress, total, reserve, inFlight } };
}

/** Refuses if the service is closed. Nothing of the request has been read yet. */
export function assertOpen({ isOpen }: Signup) {
  if (isOpen) return;
  throw new ApiError(
    "PERMISSION_DENIED",
    "REQUEST_NOT_AUTHORIZED",
    "request not authorized: this service is closed for signup; its operator opens it with KEYHEARTH_SIGNUP=open",
  );
}

/**
 * Lets a signup go on if there is room for it. It is taken out of the limits only when it was verified: a
 * forged one must not use up what others may create.
 */
export async function admitSignup<T>(
  { limits }: Signup,
  { address, now }: { address: string; now: () => number },
  found: Found<T>,
): Promise<T> {
  if (!limits) return found(() => {}, true);
  check(limits, address, now());
  return limits.inFlight.run(address, (isAlone) =>
    found(() => charge(limits, address, now()), isAlone),
  );
}

type Limits = NonNullable<Signup["limits"]>;

function check(limits: Limits, address: string, nowMs: number) {
  const { perAddress, total, reserve } = limits;
  explained(FROM_ADDRESS, () => perAddress.check(address, nowMs));
  if (total.hasRoom("", nowMs)) return;
  explained(IN_ALL, () => {
    reserve.perRegion.check(regionOf(address), nowMs);
    reserve.total.check("", nowMs);
  });
}

/** Takes one signup out of all limits that it counts in, or out of none. */
function charge(limits: Limits, address: string, nowMs: number) {
  const { perAddress, total, reserve } = limits;
  check(limits, address, nowMs);
  const isReserved = !total.hasRoom("", nowMs);
  perAddress.take(address, nowMs);
  if (!isReserved) return void total.take("", nowMs);
  reserve.perRegion.take(regionOf(address), nowMs);
  reserve.total.take("", nowMs);
}

type Which = { whose: string; most: number };
const FROM_ADDRESS: Which = { whose: "from your address", most: PER_ADDRESS };
const IN_ALL: Which = { whose: "here", most: IN_TOTAL };

function explained({ whose, most }: Which, work: () => void) {
  try {
    work();
  } catch (error) {
    if (!(error instanceof RateLimited)) throw error;
    throw new TryLater(
      error.code,
      error.reason,
      `too many organizations are created ${whose}: at most ${most} within an hour; try again later`,
      Math.max(error.retryAfterSeconds, Math.ceil(HOUR_S / most)),
    );
  }
}

/** What is stored of the address, so that whatever the organizations of one network send counts together. */
export function placeOfSignup(address: string): SignupPlace {
  const [network, site] = [networkOf(address), siteOf(address)];
  return { networkHash: hashOf(network), siteHash: site === address ? null : hashOf(site) };
}

function hashOf(place: string): string {
  return encodeHex(sha256(encodeUtf8(place)));
}

function tooManyAtOnce(): ApiError {
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    `too many organizations are being created from your address: at most ${AT_ONCE} at once; wait for an answer and send the rest again`,
  );
}
