import { ApiError } from "@keyhearth/engine/errors";
import {
  attestedNotTaken,
  credentialNotFound,
  isAttestedStamp,
  isPasskeyStamp,
  stampInvalid,
} from "@keyhearth/engine/people/authenticate";
import type { Context } from "hono";
import { findStampers } from "../callers/known-stamp.ts";
import { goodStamp, type SentStamp, type Stamped, stampOver } from "../callers/stamp.ts";
import { nobody, type Owner } from "../fairness/families.ts";
import type { Host } from "../host/host.ts";
import type { InFlight } from "../host/in-flight.ts";
import { PACED_LENGTH } from "../host/large-requests.ts";
import { traced } from "../observability/spans.ts";
import { isHeldSomewhere } from "../store/lookups.ts";
import { type Env, headerOf } from "../wire/request.ts";
import { assertStatedSize, readBody } from "./bodies.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { LargeSenders } from "./large-senders.ts";
import { assertFewValues } from "./many-values.ts";
import { endOfTurn } from "./newcomers.ts";
import type { RefusalPace } from "./refusal-pace.ts";
import { assertFewUnknown } from "./unknown-members.ts";

/** Parsing a body of this size costs no more than refusing it. A larger one is paced. */
const SMALL_BYTES = PACED_LENGTH;

/** What bounds requests whose sender is not known yet. */
export type Admission = {
  host: Host;
  /** Answers to large bodies that no known key has stamped. */
  unknownKeys: RefusalPace;
  /** Answers to large bodies for which their senders have no room. */
  tooFast: RefusalPace;
  largeSenders: LargeSenders;
  held: HeldBytes;
  inFlight: InFlight;
  /** The names of all members that requests have. */
  members: ReadonlySet<string>;
};

export type StampedBody = {
  body: Uint8Array;
  stamp: SentStamp<Stamped>;
  /** Organizations whose key stamped it. Null for a small body, whose stamp is not verified yet. */
  stampers: readonly string[] | null;
};

/**
 * A body. A large one is parsed only if a key that is registered somewhere has stamped it, and at the pace of
 * whose key it is; if that has no room, a body of a stated length is not even read. It is read whether the key is
 * registered or not: a stamp comes before its body, and who sends one that they did not make must not see which it is.
 * Whether the key may do anything is decided later. A body that is on its way, or waits for its pace, takes none of what its address
 * may have in flight. One that waits for a pace takes no turn of newcomers either: fifty refusals a second would otherwise
 * keep all of them out.
 */
export function readStampedBody(...of: Parameters<typeof readAtPace>): Promise<StampedBody> {
  return traced("read body", () => readAtPace(...of));
}

async function readAtPace(
  c: Context<Env>,
  sent: SentStamp,
  at: Admission & { address: string },
  maxBytes: number,
): Promise<StampedBody> {
  const isEarly = Number(headerOf(c, "content-length") ?? 0) > SMALL_BYTES;
  assertStatedSize(c, maxBytes);
  const endTurn = () => endOfTurn(c.env?.incoming)?.();
  if (isEarly) {
    await assertRoom(sent, at, endTurn);
    await assertTaken(sent, at, endTurn);
  }
  const reading = { sent, isEarly, maxBytes, endTurn };
  const { body, stamp, verified } = await readAndVerify(c, reading, at);
  // By now nothing holds the body.
  if (verified === null) return { body, stamp, stampers: null };
  endTurn();
  if (verified instanceof ApiError) {
    await at.unknownKeys.wait();
    throw verified;
  }
  const { owner, stampers } = verified;
  const sender = { stamp: goodStamp(stamp.read).stamp, address: at.address };
  at.largeSenders.note(sender, owner);
  await at.host.largeRequests.wait(owner, body.length);
  assertFewUnknown(body, at.members);
  assertFewValues(body);
  return { body, stamp, stampers };
}

/** Why the stamp is nobody's, if it is not. */
type Read = Pick<StampedBody, "body" | "stamp"> & { verified: Verified | ApiError | null };

type Verified = {
  stampers: string[];
  /** Who is charged. */
  owner: Owner;
};

/** The body counts for its sender only in here. */
async function readAndVerify(
  c: Context<Env>,
  {
    sent,
    isEarly,
    maxBytes,
    endTurn,
  }: { sent: SentStamp; isEarly: boolean; maxBytes: number; endTurn: () => void },
  at: Admission & { address: string },
): Promise<Read> {
  const { bytes: body, settle } = await readBody(c, { ...at, maxBytes });
  try {
    const stamp = stampOver(body, sent);
    if (body.length <= SMALL_BYTES) return { body, stamp, verified: null };
    if (!isEarly) await assertTaken(sent, at, endTurn);
    const stamped = goodStamp(stamp.read);
    const verified = await at.inFlight.run(at.address, () => verify(stamped, at.host));
    return { body, stamp, verified };
  } finally {
    settle();
  }
}

async function verify(stamped: Stamped, host: Host): Promise<Verified | ApiError> {
  const { stamp } = stamped;
  if (isAttestedStamp(stamp)) return attestedNotTaken();
  const stampers = await findStampers(host, stamped);
  if (stampers === null)
    return isPasskeyStamp(stamp) ? credentialNotFound(stamp) : stampInvalid(stamp);
  const isHeld = stampers.length > 0 || (await isHeldSomewhere(host.store.db, stamp));
  if (!isHeld) return credentialNotFound(stamp);
  const [first] = stampers;
  // Keys that have expired are charged together: an organization must not pay for those that it once had.
  const owner = first === undefined ? nobody : await host.families.ownerOf(first);
  return { stampers, owner };
}

/**
 * Refuses a body of somebody who would have to wait too long. Reading it and verifying its stamp takes more than the
 * refusal saves, and who sends eight at once would keep the thread busy with them.
 */
async function assertRoom(
  { read }: SentStamp,
  { host, largeSenders, tooFast, address }: Admission & { address: string },
  endTurn: () => void,
) {
  const owner = "stamp" in read ? largeSenders.ownerOf({ stamp: read.stamp, address }) : undefined;
  if (owner === undefined) return;
  try {
    host.largeRequests.assertRoom(owner);
  } catch (error) {
    endTurn();
    await tooFast.wait();
    throw error;
  }
}

/** Refuses a malformed stamp, and one by which nobody sends large bodies. */
async function assertTaken({ read }: SentStamp, { unknownKeys }: Admission, endTurn: () => void) {
  try {
    // Nothing here verifies what it attests, and logins are small.
    if (isAttestedStamp(goodStamp(read).stamp)) throw attestedNotTaken();
  } catch (error) {
    endTurn();
    await unknownKeys.wait();
    throw error;
  }
}
