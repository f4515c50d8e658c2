import { canonicalJson } from "@keyhearth/crypto/canonical";
import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding";
import { sha256 } from "@keyhearth/crypto/primitives";
import type { ErrorDetail } from "../errors.ts";
import { defineRecord } from "./define.ts";
import type { CredentialType } from "./organization.ts";
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
  /** "sha256:" and hex of the request's exact bytes, which stand in the first vote. */
  fingerprint: string;
  /** Approvals count for 24 hours from here; then they must be given again. */
  windowStartedAtMs: number;
  votes: Vote[];
  result: Record<string, unknown> | null;
  failure: { code: number; message: string; details: ErrorDetail[] } | null;
  createdAtMs: number;
  updatedAtMs: number;
  /** The document that the newest change was decided by. */
  documentVersion: number;
  documentDigest: string;
  /** Signed statement of the outcome, if the request asked for one. */
  appProofs: AddressProof[];
};

export type Vote = {
  voteId: string;
  userId: string;
  /** The document the voter was read from; the user is rendered from that version. */
  documentVersion: number;
  selection: "VOTE_SELECTION_APPROVED" | "VOTE_SELECTION_REJECTED";
  /** The exact request body that was stamped. */
  message: string;
  publicKey: string;
  signature: string;
  scheme: string;
  /** The user's session epoch, if the vote was stamped with a key that expires. */
  sessionEpoch: number | null;
  /** The credential it was stamped with; null in votes that were given before this was kept. */
  credential: { id: string; type: CredentialType } | null;
  /**
   * What each policy of the document version came to once this vote was counted: a letter a policy
   * in the document's order; empty where policies were not asked.
   */
  outcomes: string;
  createdAtMs: number;
};

export const activity = defineRecord({
  type: "activity",
  schema: 3,
  upcasts: {
    // Schema 1 had no policies.
    1: (body) => ({
      warnings: [],
      ...body,
      votes: (body.votes as object[]).map((vote) => ({ credential: null, outcomes: "", ...vote })),
    }),
    // Schema 2 kept what the lints said of a change of policies.
    2: ({ warnings: _, ...body }) => body,
  },
  idOf: ({ activityId }: ActivityRecord) => activityId,
  answers: {
    activity: ({ body }, { fingerprint }: { fingerprint: string }) =>
      body.fingerprint === fingerprint,
  },
  // The document keeps no line for it; what it remembers of decided ones is asked by itself.
  isBound: () => true,
});

export const APPROVAL_WINDOW_MS = 24 * 60 * 60 * 1000;

/** No public path serves this type: the service itself founds its first organization. */
export const FOUND_TYPE = "ACTIVITY_TYPE_CREATE_ORGANIZATION";

/** The statement about one version of one activity. The host rebuilds it from the record. */
export function activityStatement(
  organizationId: string,
  activity: ActivityRecord,
  activityVersion: number,
): string {
  return canonicalJson({
    type: "keyhearth.activity.v1",
    organizationId,
    activityId: activity.activityId,
    activityVersion,
    activityType: activity.type,
    fingerprint: activity.fingerprint,
    status: activity.status,
    resultDigest: encodeHex(sha256(encodeUtf8(JSON.stringify(activity.result)))),
    documentVersion: activity.documentVersion,
    documentDigest: activity.documentDigest,
    timestampMs: String(activity.updatedAtMs),
  });
}
