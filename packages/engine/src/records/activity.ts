import { canonicalJson } from "@keyhearth/crypto/encoding/canonical";
import { sha256Hex } from "@keyhearth/crypto/primitives";
import type { ErrorDetail } from "../errors.ts";
import type { CredentialType } from "../fields/logins.ts";
import type { Sealed } from "../vault/seal.ts";
import { defineRecord } from "./define.ts";
import type { AddressProof } from "./wallet-account.ts";

export type ActivityStatus =
  | "ACTIVITY_STATUS_CREATED"
  | "ACTIVITY_STATUS_PENDING"
  | "ACTIVITY_STATUS_COMPLETED"
  | "ACTIVITY_STATUS_FAILED"
  | "ACTIVITY_STATUS_CONSENSUS_NEEDED"
  | "ACTIVITY_STATUS_REJECTED";

export type ActivityRecord = {
  activityId: string;
  type: string;
  status: ActivityStatus;
  /** "sha256:" and the hash of the exact request, which is the message of the first vote. */
  fingerprint: string;
  /**
   * Names this state of an activity that waits, in which the document lists it. Random, so that no proposal that
   * was never committed has it. Null once the activity ended.
   */
  waitingState: string | null;
  /** Approvals count for 24 hours from here. After that they must be given again. */
  windowStartedAtMs: number;
  votes: Vote[];
  result: Record<string, unknown> | null;
  /** In place of a result that nobody may see before the commit. `confirm` opens it. */
  sealedResult: SealedResult | null;
  failure: { code: number; message: string; details: ErrorDetail[] } | null;
  createdAtMs: number;
  updatedAtMs: number;
  /** The document that the latest change was decided with. */
  documentVersion: number;
  documentDigest: string;
  /** A signed statement of the outcome, if the request asked for one. */
  appProofs: AddressProof[];
};

/** The digest names the document of the same proposal, which no other proposal writes. */
export type SealedResult = { documentDigest: string; sealed: Sealed };

export type Vote = {
  voteId: string;
  userId: string;
  /** The document version that the voter was read from. Responses show the user from it. */
  documentVersion: number;
  /** Whether the voter is a user of the parent organization. Then that version is of its document. */
  isParents: boolean;
  selection: "VOTE_SELECTION_APPROVED" | "VOTE_SELECTION_REJECTED";
  /** The exact request body that was stamped. Null if it is that of the first vote. */
  message: string | null;
  publicKey: string;
  signature: string;
  scheme: string;
  /** SHA-256, in hex, of the token that attests the key. Absent without one, and in votes from before this was stored. */
  attestationDigest?: string | undefined;
  /** The user's session epoch, if the vote was stamped with a key that expires. */
  sessionEpoch: number | null;
  /** The credential of the stamp. Null in votes from before this was stored. */
  credential: { id: string; type: CredentialType } | null;
  /**
   * The outcome of each policy of the document version with this vote counted: one letter for each,
   * in the document's order. Empty if policies were not asked.
   */
  outcomes: string;
  createdAtMs: number;
};

/** The exact request body under the vote's stamp. */
export function messageOf({ votes }: Pick<ActivityRecord, "votes">, { message }: Vote): string {
  return message ?? votes[0]?.message ?? "";
}

/** The SHA-256 of these bytes, in hex. The activity has that of its own request. */
export function requestDigestOf(
  { fingerprint, votes }: Pick<ActivityRecord, "fingerprint" | "votes">,
  vote: Vote,
): string {
  if (vote === votes[0] || vote.message === null) return fingerprint.slice("sha256:".length);
  return sha256Hex(vote.message);
}

/** The id of the user who started the activity. */
export function submitterOf({ votes }: Pick<ActivityRecord, "votes">): string {
  return votes[0]?.userId ?? "";
}

/** The vote whose stamp started the activity. */
export function starterOf({ votes: [first] }: Pick<ActivityRecord, "votes">): Vote {
  if (!first) throw new Error("an activity without the vote that started it");
  return first;
}

export const activity = defineRecord({
  type: "activity",
  schema: 7,
  upcasts: {
    // Schema 1 had no policies.
    1: (body) => ({
      warnings: [],
      ...body,
      votes: (body.votes as object[]).map((vote) => ({ credential: null, outcomes: "", ...vote })),
    }),
    // Schema 2 stored lint warnings about changes of policies.
    2: ({ warnings: _, ...body }) => body,
    // Schema 3 had no results that were kept back.
    3: (body) => ({ sealedResult: null, ...body }),
    // Schema 4 repeated the message of the first vote in every vote over the same bytes.
    4: (body) => body,
    // In schema 5, every voter was a user of the organization itself.
    5: (body) => ({
      ...body,
      votes: (body.votes as object[]).map((vote) => ({ ...vote, isParents: false })),
    }),
    // Documents did not list the waiting activities of schema 6.
    6: (body) => ({ ...body, waitingState: null }),
  },
  idOf: ({ activityId }: ActivityRecord) => activityId,
  answers: {
    activity: ({ body }, { fingerprint }: { fingerprint: string }) =>
      body.fingerprint === fingerprint,
  },
  // The document does not list activities. Decided ones are checked separately.
  isBound: () => true,
});

export const APPROVAL_WINDOW_MS = 24 * 60 * 60 * 1000;

/** The service creates its first organization by this type. Over HTTP clients use the next version. */
export const FOUND_TYPE = "ACTIVITY_TYPE_CREATE_ORGANIZATION";

/** The statement about one version of one activity. The host can rebuild it from the record. */
export function activityStatement(
  organizationId: string,
  activity: ActivityRecord,
  activityVersion: number,
): string {
  // In the canonical order, in which it is written as it is.
  return canonicalJson({
    activityId: activity.activityId,
    activityType: activity.type,
    activityVersion,
    documentDigest: activity.documentDigest,
    documentVersion: activity.documentVersion,
    fingerprint: activity.fingerprint,
    organizationId,
    resultDigest: sha256Hex(JSON.stringify(activity.result)),
    status: activity.status,
    timestampMs: String(activity.updatedAtMs),
    type: "keyhearth.activity.v1",
  });
}
