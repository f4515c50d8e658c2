import { ApiError } from "@keyhearth/engine/errors";
import { RateLimited, TryLater } from "../errors.ts";
import { createRateLimit, type NewRateLimit, type RateLimit } from "./rate-limit.ts";

/**
 * Who may create a top-level organization. Nobody asked for such an organization, and it is stored for
 * good, so the limits are much lower than those of other requests.
 */
export type Signup = {
  isOpen: boolean;
  /** Null if requests are not limited at all. */
  limits: { perAddress: RateLimit; total: RateLimit } | null;
};

/** One address creates this many at once, and as many again within an hour. */
const PER_ADDRESS = 10;

/** All addresses together. About 8 KB are stored for each: less than 200 MB a day. */
const IN_TOTAL = 1000;

const HOUR_S = 3600;

export function createSignup({
  isOpen,
  isLimited,
  newRateLimit = createRateLimit,
}: {
  isOpen: boolean;
  isLimited: boolean;
  newRateLimit?: NewRateLimit;
}): Signup {
  if (!isLimited) return { isOpen, limits: null };
  const perHour = (name: string, most: number) =>
    newRateLimit({ name, perSecond: most / HOUR_S, burst: most });
  const perAddress = perHour("signup-address", PER_ADDRESS);
  return { isOpen, limits: { perAddress, total: perHour("signup", IN_TOTAL) } };
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

/** Takes one signup out of both limits. */
export function takeSignup({ limits }: Signup, address: string, nowMs: number) {
  if (!limits) return;
  takeOne(limits.perAddress, address, { nowMs, whose: "from your address", most: PER_ADDRESS });
  takeOne(limits.total, "", { nowMs, whose: "here", most: IN_TOTAL });
}

function takeOne(
  limit: RateLimit,
  address: string,
  { nowMs, whose, most }: { nowMs: number; whose: string; most: number },
) {
  try {
    limit.take(address, nowMs);
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
