import { createHash } from "node:crypto";
import type { Activity } from "@keyhearth/sdk";
import {
  type ActivityStatement,
  type VerifiedRequest,
  verifyStampedRequest,
} from "@keyhearth/sdk/crypto";
import { keysRegisteredBy } from "./exported-keys.ts";
import { hasSecretResult } from "./organization-file.ts";

// What an activity of a file proves by itself: its request and its votes have stamps. Everything else is compared with what
// the signer has stated of it in its receipt.

/** Says what is wrong with something of the file. */
export type Refuse = (code: string, message: string) => void;

/** What the receipt of an activity must say. */
export type Expected = Pick<Activity, "fingerprint" | "type" | "status"> & {
  readonly hasResult: boolean;
  readonly resultDigest: string | undefined;
  readonly updatedAtSeconds: string;
};

type ReadActivity = ReadVotes & { readonly expected: Expected };

type ReadVotes = {
  /** How many of the stamps are by keys that a token attests. */
  readonly attestedStamps: number;
  /** The keys of the votes after the first one, which no fingerprint and so no receipt has. */
  readonly laterVotes: readonly { readonly place: number; readonly publicKey: string }[];
  /** The keys that the request has registered for users of the organization. */
  readonly registered: readonly string[];
};
type Vote = Activity["votes"][number];

/** Checks the request and every vote. Undefined if the activity does not have the form of the API. */
export function readActivity(activity: unknown, refuse: Refuse): ReadActivity | undefined {
  if (!isActivity(activity)) return undefined;
  const { id, fingerprint, type, status, votes, createdAt, updatedAt } = activity;
  if (createdAt.seconds !== secondsOf(id)) {
    refuse("TIME_CHANGED", `activity ${id} was not created when its id says`);
  }
  if ("intent" in activity) {
    refuse(
      "INTENT_NOT_PROVEN",
      `activity ${id} has an intent, which nothing proves: its request is in its first vote`,
    );
  }
  const read = checkVotes(activity, votes, refuse);
  const results = Object.values(activity.result);
  return {
    ...read,
    expected: {
      ...{ fingerprint, type, status, updatedAtSeconds: updatedAt.seconds },
      hasResult: results.length > 0,
      resultDigest: results.length > 1 ? undefined : sha256(JSON.stringify(results[0] ?? null)),
    },
  };
}

/**
 * A stamp proves a key. A host can stamp with keys of its own as often as it likes, so the caller has to know whose the keys
 * of later votes are, and no vote of another organization counts.
 */
function checkVotes(
  { id, fingerprint, organizationId, status }: Activity,
  votes: readonly Vote[],
  refuse: Refuse,
): ReadVotes {
  const seen = new Set<string>();
  const laterVotes: { place: number; publicKey: string }[] = [];
  let registered: readonly string[] = [];
  let attestedStamps = 0;
  for (const [place, vote] of votes.entries()) {
    const isFirst = place === 0;
    const digest = `sha256:${sha256(vote.message)}`;
    if (isFirst && digest !== fingerprint) {
      refuse("REQUEST_CHANGED", `the request of activity ${id} does not have its fingerprint`);
      continue;
    }
    const request = requestOf(vote, digest);
    if (!request) {
      const what = isFirst
        ? `the request of activity ${id}`
        : `vote ${place + 1} on activity ${id}`;
      refuse("STAMP_INVALID", `${what} was not stamped by its key`);
      continue;
    }
    if (isAttested(vote)) attestedStamps += 1;
    if (vote.activityId !== id || vote.selection !== selectionOf(request, fingerprint)) {
      refuse("VOTE_CHANGED", `vote ${place + 1} on activity ${id} is not what its key has stamped`);
    }
    // Only the request itself may name the parent, and its bytes are those of the receipt.
    if (request.fingerprint !== fingerprint && request.organizationId !== organizationId) {
      refuse(
        "OTHER_ORGANIZATION",
        `vote ${place + 1} on activity ${id} is of another organization`,
      );
    }
    if (!isFirst) laterVotes.push({ place, publicKey: vote.publicKey });
    else if (status === "ACTIVITY_STATUS_COMPLETED") registered = keysRegisteredBy(request);
    // One stamp is one vote, whoever is named as its voter.
    const stamped = `${vote.publicKey.toLowerCase()} ${digest}`;
    if (seen.has(stamped)) {
      refuse(
        "VOTE_REPEATED",
        `vote ${place + 1} on activity ${id} repeats the stamp of another one`,
      );
    }
    seen.add(stamped);
  }
  return { attestedStamps, laterVotes, registered };
}

/** What the key of the vote has stamped, which may name the parent organization, as logins do. */
function requestOf(vote: Vote, fingerprint: string): VerifiedRequest | undefined {
  const scheme = isAttested(vote) ? "SIGNATURE_SCHEME_TK_API_P256" : vote.scheme;
  try {
    const { organizationId } = JSON.parse(vote.message);
    const votes = [{ ...vote, scheme }];
    const request = verifyStampedRequest({
      id: vote.activityId,
      organizationId,
      fingerprint,
      votes,
    });
    return isAttested(vote) && !isOwnLogin(request) ? undefined : request;
  } catch {
    return undefined;
  }
}

/** Keys that nobody has registered. A token, which the signer alone has seen, says whose they are. */
const ATTESTED = [
  "STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN",
  "STAMP_ATTESTED_SCHEME_P256_OIDC",
];

function isAttested({ scheme }: Pick<Vote, "scheme">): boolean {
  return ATTESTED.includes(scheme);
}

/** Such a key starts a session of its own, and does nothing else. */
function isOwnLogin({ type, parameters, publicKey }: VerifiedRequest): boolean {
  return (
    type === "ACTIVITY_TYPE_STAMP_LOGIN" &&
    String(parameters.publicKey).toLowerCase() === publicKey.toLowerCase()
  );
}

/** The same request by another user is an approval too. */
function selectionOf(request: VerifiedRequest, fingerprint: string): Vote["selection"] | undefined {
  if (request.fingerprint === fingerprint) return "VOTE_SELECTION_APPROVED";
  if (request.parameters.fingerprint !== fingerprint) return undefined;
  if (request.type === "ACTIVITY_TYPE_APPROVE_ACTIVITY") return "VOTE_SELECTION_APPROVED";
  return request.type === "ACTIVITY_TYPE_REJECT_ACTIVITY" ? "VOTE_SELECTION_REJECTED" : undefined;
}

/**
 * Compares an activity with the newest statement about it. `leave` says what is neither wrong nor proven: what waited for
 * votes when it was listed, and has got one since.
 */
export function compare(
  expected: Expected,
  statement: ActivityStatement,
  { refuse, leave }: { refuse: Refuse; leave: Refuse },
): void {
  const { activityId: id, activityType, status, resultDigest } = statement;
  const seconds = String(Math.floor(Number(statement.timestampMs) / 1000));
  const { fingerprint, type, updatedAtSeconds, hasResult } = expected;
  if (fingerprint !== statement.fingerprint || type !== activityType) {
    refuse("ACTIVITY_CHANGED", `activity ${id} is not the one of its receipt`);
    return;
  }
  const isSame = status === expected.status && seconds === updatedAtSeconds;
  if (!isSame && isOpen(expected) && !hasResult && Number(updatedAtSeconds) <= Number(seconds)) {
    leave("ACTIVITY_CHANGED_SINCE", `activity ${id} has changed since it was listed`);
    return;
  }
  if (status !== expected.status) {
    refuse("STATUS_CHANGED", `activity ${id} has another status than its receipt`);
  }
  if (seconds !== updatedAtSeconds) {
    refuse("TIME_CHANGED", `activity ${id} has another time than its receipt`);
  }
  const isLeftOut = !hasResult && hasSecretResult(type);
  if (resultDigest !== expected.resultDigest && !isLeftOut) {
    refuse("RESULT_CHANGED", `activity ${id} has another result than its receipt`);
  }
}

function isOpen({ status }: Expected): boolean {
  return status === "ACTIVITY_STATUS_CONSENSUS_NEEDED" || status === "ACTIVITY_STATUS_PENDING";
}

/** The ids of activities begin with their time in milliseconds (RFC 9562, version 7). */
function secondsOf(id: string): string {
  return String(Math.floor(Number.parseInt(id.replace("-", "").slice(0, 12), 16) / 1000));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const TEXTS_OF_ACTIVITY = ["id", "organizationId", "fingerprint", "type", "status"];
const TEXTS_OF_VOTE = ["activityId", "selection", "message", "publicKey", "signature", "scheme"];

function isActivity(value: unknown): value is Activity {
  const { votes, result, createdAt, updatedAt } = { ...(value as Partial<Activity> | null) };
  return (
    hasTexts(value, TEXTS_OF_ACTIVITY) &&
    Array.isArray(votes) &&
    votes.length > 0 &&
    votes.every((vote) => hasTexts(vote, TEXTS_OF_VOTE)) &&
    hasTexts(result, []) &&
    hasTexts(createdAt, ["seconds"]) &&
    hasTexts(updatedAt, ["seconds"])
  );
}

function hasTexts(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as Record<string, unknown>; // Any other object can be asked for members.
  return names.every((name) => typeof members[name] === "string");
}
