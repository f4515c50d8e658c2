import { type ActivityDeclaration, changesOf, maySend } from "@keyhearth/engine/declare/define";
import { limitExceeded } from "@keyhearth/engine/errors";
import { hasKnownStamp } from "../callers/known-stamp.ts";
import { formatBytes } from "../config/storage-limit.ts";
import { RateLimited } from "../errors.ts";
import { SUB_ORGANIZATION_SHARE } from "../host/family-storage.ts";
import type { Host } from "../host/host.ts";
import { familyIdOf } from "../store/organizations.ts";
import { findExisting, isWaiting } from "./existing-activity.ts";
import type { Belief } from "./gather.ts";
import type { Hint } from "./hint.ts";

/**
 * Refuses what a family would store beyond its limit, before the signer works on it. As with the signer's own
 * bounds, votes and the end of credentials go on, and so do deletions and logins, slowly (decision 19).
 */
export async function limitStorage(host: Host, hint: Hint, belief: Belief): Promise<void> {
  const { storage } = host;
  if (storage.limit === null) return;
  const { familyId, whose, limit, bytes, advice } = await findFullest(host, belief, storage.limit);
  if (bytes < WARNED_SHARE * limit) return;
  const use = { familyId, limit: formatBytes(limit), stored: formatBytes(bytes) };
  if (bytes < limit) return warn(host, use, `${whose.short} is near its storage limit`);
  const existing = await findExisting(host, hint.organizationId, hint.target);
  // Bytes whose activity has ended only ask for its outcome.
  if (existing && !isWaiting(existing) && !hint.declaration.vote) return;
  const isUrgent = existing !== null || mustGoOn(hint);
  if (isUrgent && (await takeBeyond(host, hint, { belief, familyId }))) return;
  warn(host, use, `${whose.short} has reached its storage limit`);
  throw limitExceeded(
    "organizationId",
    `${whose.long} may store ${use.limit}${advice}, and store ${use.stored}: ask the operator to raise KEYHEARTH_STORAGE_LIMIT; until then they can read and, a few times an hour, vote, delete and log in`,
  );
}

const FAMILY = {
  short: "a family",
  long: "this organization, its parent and its sub-organizations",
};
const SUB_ORGANIZATION = {
  short: "a sub-organization",
  long: "the users of this sub-organization",
};

/** The family, or within it the sub-organization: whichever is nearer to what it may store. */
async function findFullest({ storage }: Host, { stored }: Belief, limit: number) {
  const { organizationId, parentOrganizationId } = stored.document;
  const familyId = familyIdOf(stored.document);
  const inAll = await storage.bytesOf(familyId, limit);
  const family = { familyId, whose: FAMILY, limit, bytes: inAll, advice: " together" };
  if (parentOrganizationId === null) return family;
  const share = limit * SUB_ORGANIZATION_SHARE;
  const bytes = await storage.bytesOf(organizationId, share);
  if (bytes / share < inAll / limit) return family;
  const advice = ", a tenth of their family's limit";
  return { familyId, whose: SUB_ORGANIZATION, limit: share, bytes, advice };
}

/** The operator reads of it before the family notices. */
const WARNED_SHARE = 0.8;

type Use = { familyId: string; limit: string; stored: string };

function warn({ storage, log, now }: Host, use: Use, message: string) {
  try {
    storage.warnings.take(`${use.familyId} ${message}`, now());
  } catch (error) {
    if (error instanceof RateLimited) return;
    throw error;
  }
  log.warn(use, message);
}

/** What must go on is short, unless somebody pads it. */
const MAX_LENGTH = 16 * 1024;

function mustGoOn(hint: Hint): boolean {
  const { declaration, request } = hint;
  return request.body.length <= MAX_LENGTH && (endsSomething(hint) || logsIn(declaration));
}

function endsSomething({ declaration, intent }: Hint): boolean {
  const endsCredentials = changesOf(declaration, intent) === "fewer credentials";
  const { vote, policy } = declaration;
  return vote !== undefined || endsCredentials || policy.action === "DELETE";
}

const LOGINS = ["AUTH", "OTP", "RECOVERY"];

function logsIn(declaration: ActivityDeclaration): boolean {
  return LOGINS.includes(declaration.policy.resource) || maySend("recovery key", declaration);
}

/** Strangers take nothing that a user needs: what is not known to be a user's shares one allowance. */
async function takeBeyond(
  host: Host,
  { organizationId, request }: Hint,
  { belief, familyId }: { belief: Belief; familyId: string },
): Promise<boolean> {
  const { storage, now } = host;
  const { user, family } = storage.beyond;
  const userId = (await hasKnownStamp(host, organizationId, request)) ? belief.stamperId : "";
  try {
    family.check(familyId, now());
    user.take(`${organizationId} ${userId}`, now());
    family.take(familyId, now());
    return true;
  } catch (error) {
    if (error instanceof RateLimited) return false;
    throw error;
  }
}
