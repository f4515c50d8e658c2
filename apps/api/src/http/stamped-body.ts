import { verifyApiKeyStamp } from "@keyhearth/crypto/stamp";
import { type ApiError, unauthenticated } from "@keyhearth/engine/errors";
import {
  isPasskeyStamp,
  type Stamp,
  type StampHeader,
} from "@keyhearth/engine/people/authenticate";
import type { Context } from "hono";
import { findCurrent } from "../documents.ts";
import { hasStamped } from "../genuine.ts";
import type { Host } from "../host.ts";
import { findHolders } from "../store/lookups.ts";
import { assertStatedSize, readBody } from "./bodies.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { InFlight } from "./in-flight.ts";
import { decodeBody, type Env, headerOf } from "./request.ts";
import { readStamp } from "./stamp.ts";
import type { Strangers } from "./strangers.ts";

/** Parsing a body of this size costs no more than refusing it. */
const SMALL_BYTES = 16 * 1024;

/** What bounds requests whose sender is not known yet. */
export type Admission = {
  host: Host;
  strangers: Strangers;
  held: HeldBytes;
  inFlight: InFlight;
};

/**
 * The text of a body. A large one is parsed only if a key that is registered somewhere has stamped it;
 * if the key is unknown, a body of a stated length is not even read. Whether the key may do anything is
 * decided later. A body that is still on its way takes none of what its address may have in flight.
 */
export async function readStampedBody(
  c: Context<Env>,
  header: StampHeader | null,
  at: Admission & { address: string },
  maxBytes: number,
): Promise<string> {
  const isStatedLarge = Number(headerOf(c, "content-length") ?? 0) > SMALL_BYTES;
  assertStatedSize(c, maxBytes);
  const early = isStatedLarge ? await findStamp(header, at) : null;
  const read = await readAndVerify(c, { header, early, maxBytes }, at);
  if (read.isGenuine) return read.text;
  // By now nothing holds the body.
  await at.strangers.wait();
  throw stampInvalid(read.stamp);
}

type Read = { isGenuine: true; text: string } | { isGenuine: false; stamp: Stamp };

/** The body counts for its sender only in here. */
async function readAndVerify(
  c: Context<Env>,
  {
    header,
    early,
    maxBytes,
  }: { header: StampHeader | null; early: Stamp | null; maxBytes: number },
  at: Admission & { address: string },
): Promise<Read> {
  const { bytes, settle } = await readBody(c, { ...at, maxBytes });
  try {
    if (bytes.length > SMALL_BYTES) {
      const stamp = early ?? (await findStamp(header, at));
      const verify = () => isStamped(stamp, bytes, at.host);
      if (!(await at.inFlight.run(at.address, verify))) return { isGenuine: false, stamp };
    }
    return { isGenuine: true, text: decodeBody(bytes) };
  } finally {
    settle();
  }
}

async function findStamp(
  header: StampHeader | null,
  { host, strangers, inFlight, address }: Admission & { address: string },
): Promise<Stamp> {
  try {
    const stamp = readStamp(header);
    const find = () => findHolders(host.store.db, stamp, { limit: 1 });
    const [holder] = await inFlight.run(address, find);
    if (holder !== undefined) return stamp;
    throw unauthenticated(
      "CREDENTIAL_NOT_FOUND",
      isPasskeyStamp(stamp)
        ? `credential ID could not be found in organization or its parent organization credentialId=${stamp.credentialId}`
        : `could not find public key in organization or its parent organization publicKey=${stamp.publicKey}`,
    );
  } catch (error) {
    await strangers.wait();
    throw error;
  }
}

/** One passkey may be known in several organizations. More of them are not looked at here. */
const MOST_HOLDERS = 4;

/** A passkey's stamp does not say its public key: the documents of its organizations do. */
async function isStamped(stamp: Stamp, body: Uint8Array, host: Host): Promise<boolean> {
  if (!isPasskeyStamp(stamp)) return verifyApiKeyStamp(stamp, body);
  const { db } = host.store;
  const limit = MOST_HOLDERS;
  // Anybody may register the same credential id in organizations of their own. Those that the body
  // names come first, so that this keeps nobody out.
  const among = namedIn(body);
  const named = among.length > 0 ? await findHolders(db, stamp, { limit, among }) : [];
  const others = await findHolders(db, stamp, { limit });
  const candidates = [...new Set([...named, ...others])].slice(0, MOST_HOLDERS);
  for (const organizationId of candidates) {
    const stored = await findCurrent(host, organizationId);
    if (stored && hasStamped(stored, stamp, body)) return true;
  }
  return false;
}

/** The ids of organizations in a body that is not parsed yet: at most four. */
function namedIn(body: Uint8Array): string[] {
  const ids = new Set<string>();
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
  for (const [, id] of text.matchAll(NAMED)) {
    if (id !== undefined) ids.add(id);
    if (ids.size === MOST_HOLDERS) break;
  }
  return [...ids];
}

const NAMED =
  /"organizationId"[ \t\r\n]{0,8}:[ \t\r\n]{0,8}"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/g;

function stampInvalid(stamp: Stamp): ApiError {
  return unauthenticated(
    "STAMP_INVALID",
    isPasskeyStamp(stamp)
      ? `could not verify WebAuthN signature credentialId=${stamp.credentialId}`
      : `could not verify api key signature publicKey=${stamp.publicKey}`,
  );
}
