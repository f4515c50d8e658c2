import { verifyApiKeyStamp } from "@keyhearth/crypto/stamps/stamp";
import { type ApiError, unauthenticated } from "@keyhearth/engine/errors";
import {
  attestedNotTaken,
  isAttestedStamp,
  isPasskeyStamp,
  type Stamp,
} from "@keyhearth/engine/people/authenticate";
import type { Context } from "hono";
import { findCurrent } from "../callers/current-document.ts";
import { hasStamped } from "../callers/known-stamp.ts";
import { goodStamp, type SentStamp } from "../callers/stamp.ts";
import { nobody, type Owner } from "../fairness/families.ts";
import type { Host } from "../host/host.ts";
import type { InFlight } from "../host/in-flight.ts";
import { PACED_LENGTH } from "../host/large-requests.ts";
import { findHolders, findHoldersNear, isHeldSomewhere } from "../store/lookups.ts";
import { type Env, headerOf } from "../wire/request.ts";
import { assertStatedSize, readBody } from "./bodies.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { UnknownKeyPace } from "./unknown-key-pace.ts";
import { assertFewUnknown } from "./unknown-members.ts";

/** Parsing a body of this size costs no more than refusing it. A larger one is paced. */
const SMALL_BYTES = PACED_LENGTH;

/** What bounds requests whose sender is not known yet. */
export type Admission = {
  host: Host;
  unknownKeys: UnknownKeyPace;
  held: HeldBytes;
  inFlight: InFlight;
  /** The names of all members that requests have. */
  members: ReadonlySet<string>;
};

export type StampedBody = {
  body: Uint8Array;
  /** Organizations whose key stamped it. Null for a small body, whose stamp is not verified yet. */
  stampers: readonly string[] | null;
};

/**
 * A body. A large one is parsed only if a key that is registered somewhere has stamped it, and at the pace of
 * whose key it is; if the key is unknown, a body of a stated length is not even read. Whether the key may do
 * anything is decided later. A body that is on its way, or waits for its pace, takes none of what its address
 * may have in flight.
 */
export async function readStampedBody(
  c: Context<Env>,
  sent: SentStamp,
  at: Admission & { address: string },
  maxBytes: number,
): Promise<StampedBody> {
  const isStatedLarge = Number(headerOf(c, "content-length") ?? 0) > SMALL_BYTES;
  assertStatedSize(c, maxBytes);
  const early = isStatedLarge ? await findStamp(sent, at) : null;
  const { bytes, verified } = await readAndVerify(c, { sent, early, maxBytes }, at);
  // By now nothing holds the body.
  if (verified === null) return { body: bytes, stampers: null };
  const { owner, stamp, stampers } = verified;
  if (stampers === null) {
    await at.unknownKeys.wait();
    throw stampInvalid(stamp);
  }
  await at.host.largeRequests.wait(owner, bytes.length);
  assertFewUnknown(bytes, at.members);
  return { body: bytes, stampers };
}

type Read = { bytes: Uint8Array; verified: Verified | null };

type Verified = {
  stamp: Stamp;
  /** Null if the stamp is not of this body. */
  stampers: string[] | null;
  /** Who is charged. */
  owner: Owner;
};

/** The body counts for its sender only in here. */
async function readAndVerify(
  c: Context<Env>,
  { sent, early, maxBytes }: { sent: SentStamp; early: Stamp | null; maxBytes: number },
  at: Admission & { address: string },
): Promise<Read> {
  const { bytes, settle } = await readBody(c, { ...at, maxBytes });
  try {
    if (bytes.length <= SMALL_BYTES) return { bytes, verified: null };
    const stamp = early ?? (await findStamp(sent, at));
    const verified = await at.inFlight.run(at.address, () => verify(stamp, bytes, at.host));
    return { bytes, verified };
  } finally {
    settle();
  }
}

async function verify(stamp: Stamp, body: Uint8Array, host: Host): Promise<Verified> {
  const stampers = await findStampers(stamp, body, host);
  const first = stampers?.[0];
  // Keys that have expired are charged together: an organization must not pay for those that it once had.
  const owner = first === undefined ? nobody : await host.families.ownerOf(first);
  return { stamp, stampers, owner };
}

async function findStamp(
  sent: SentStamp,
  { host, unknownKeys, inFlight, address }: Admission & { address: string },
): Promise<Stamp> {
  try {
    const stamp = goodStamp(sent.read);
    // Nothing here verifies what it attests, and logins are small.
    if (isAttestedStamp(stamp)) throw attestedNotTaken();
    const find = () => isHeldSomewhere(host.store.db, stamp);
    if (await inFlight.run(address, find)) return stamp;
    throw unauthenticated(
      "CREDENTIAL_NOT_FOUND",
      isPasskeyStamp(stamp)
        ? `credential ID could not be found in organization or its parent organization credentialId=${stamp.credentialId}`
        : `could not find public key in organization or its parent organization publicKey=${stamp.publicKey}`,
    );
  } catch (error) {
    await unknownKeys.wait();
    throw error;
  }
}

/** One key may be known in several organizations. More of them are not looked at here. */
const MAX_HOLDERS = 4;

/**
 * The organizations whose key stamped the body. Null if none did, and none if the key has expired. Anybody may
 * register a public key or a credential id of somebody else in organizations of their own. Those that the body names,
 * with their parents and sub-organizations, come first, so that nobody keeps others out by that or is charged for
 * them.
 */
async function findStampers(stamp: Stamp, body: Uint8Array, host: Host): Promise<string[] | null> {
  const { db } = host.store;
  const isByPasskey = isPasskeyStamp(stamp);
  if (!isByPasskey && !verifyApiKeyStamp(stamp, body)) return null;
  const sought = { stamp, nowMs: host.now() };
  const named = namedIn(body);
  const near = named.length > 0 ? await findHoldersNear(db, sought, named) : [];
  if (!isByPasskey) return near.length > 0 ? near : findHolders(db, sought, 1);
  const others = await findHolders(db, sought, MAX_HOLDERS);
  const candidates = [...new Set([...near, ...others])].slice(0, MAX_HOLDERS);
  // A passkey's stamp does not say its public key: the documents of its organizations do.
  for (const organizationId of candidates) {
    const stored = await findCurrent(host, organizationId);
    if (stored && hasStamped(stored, stamp, body)) return [organizationId];
  }
  return null;
}

/** The ids of organizations in a body that is not parsed yet: at most four. */
function namedIn(body: Uint8Array): string[] {
  const ids = new Set<string>();
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  let after = 0;
  for (let looked = 0; looked < MAX_LOOKED_AT && ids.size < MAX_HOLDERS; looked++) {
    const at = bytes.indexOf(MEMBER, after);
    if (at < 0) break;
    after = at + MEMBER.length;
    const id = VALUE.exec(bytes.toString("latin1", after, after + LONGEST_VALUE))?.[1];
    if (id !== undefined) ids.add(id);
  }
  return [...ids];
}

const MEMBER = '"organizationId"';
const VALUE = /^[ \t\r\n]{0,8}:[ \t\r\n]{0,8}"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/;
const LONGEST_VALUE = 64;

/** A body may name its organization again and again. */
const MAX_LOOKED_AT = 1000;

function stampInvalid(stamp: Stamp): ApiError {
  return unauthenticated(
    "STAMP_INVALID",
    isPasskeyStamp(stamp)
      ? `could not verify WebAuthN signature credentialId=${stamp.credentialId}`
      : `could not verify api key signature publicKey=${stamp.publicKey}`,
  );
}
