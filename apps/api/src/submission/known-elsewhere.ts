import { ApiError } from "@keyhearth/engine/errors";
import { isAttestedStamp } from "@keyhearth/engine/people/authenticate";
import { type Caller, findCaller } from "../callers/caller.ts";
import { findMeant } from "../callers/homes.ts";
import type { Host } from "../host/host.ts";
import { moreThanOneSubOrganization } from "../store/lookups.ts";
import type { Belief } from "./gather.ts";
import type { Hint } from "./hint.ts";

/**
 * The core does not know the key in this organization. If a related organization does, the answer says
 * so: clients log their user out if a key is unknown. Of a token that it has verified, the answer says if it is of several.
 */
export async function explainUnknownKey(
  host: Host,
  { declaration }: Hint,
  { stored, stamped }: Belief,
  unknown: ApiError,
): Promise<ApiError> {
  const { organizationId } = stored;
  if (isAttestedStamp(stamped.stamp)) {
    const meant = await findMeant(host, organizationId, stamped);
    return meant.length > 1 ? moreThanOneSubOrganization(organizationId, stamped.stamp) : unknown;
  }
  const isVote = declaration.vote !== undefined;
  const options = { findsSubOrganization: isVote };
  const home = (await tryFind(host, stored, stamped, options))?.caller.organizationId;
  if (home === undefined || home === organizationId) return unknown;
  return isVote ? voterElsewhere(organizationId, home) : parentMayNotWrite(organizationId, home);
}

/** The organization of a key with a valid stamp: the parent or, for a vote, a sub-organization. */
async function tryFind(...asked: Parameters<typeof findCaller>): Promise<Caller | null> {
  try {
    return await findCaller(...asked);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function parentMayNotWrite(organizationId: string, home: string): ApiError {
  return new ApiError(
    "PERMISSION_DENIED",
    "REQUEST_NOT_AUTHORIZED",
    `request not authorized: the key belongs to the parent organization ${home}, which may read but not change ${organizationId}; stamp with a key of the sub-organization`,
    { field: "organizationId" },
  );
}

function voterElsewhere(organizationId: string, home: string): ApiError {
  return new ApiError(
    "INVALID_ARGUMENT",
    "ORGANIZATION_MISMATCH",
    `organization mismatch: request is targeting organization (${organizationId}), but voters are in organization (${home})`,
    { field: "organizationId" },
  );
}
