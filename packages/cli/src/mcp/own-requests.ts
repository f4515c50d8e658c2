import { createHash } from "node:crypto";
import { type Activity, type HashFunction, UnexpectedAnswer, Unverified } from "@keyhearth/sdk";
import { missingApprovals } from "../denials.ts";
import { InputError } from "../errors.ts";
import { messageSignature } from "../messages.ts";
import { timeOf } from "../tables.ts";
import type { Agent } from "./agent.ts";
import { answer, data, dataIn } from "./answers.ts";

// The requests for signatures that the agent made, as the tools answer them.

/** Reads a request of this agent. Others are not its business, also where its user may read them. */
export async function readOwn({ client, userId }: Agent, activityId: string, signal?: AbortSignal) {
  const { activity } = await client.getActivity({ activityId }, signal ? { signal } : {});
  if (isOwn(activity, userId) && activity.id === activityId) return activity;
  throw new InputError(
    `${activityId} is not a request for a signature that this agent made: list_requests lists those`,
  );
}

export function isOwn({ type, votes }: Activity, userId: string): boolean {
  return votes[0]?.userId === userId && SIGN_TYPES.some((each) => each === type);
}

export const SIGN_TYPES = [
  "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
  "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
] as const;

type Status = "signed" | "waiting" | "rejected" | "failed" | "running";

const STATUSES: Partial<Record<Activity["status"], Status>> = {
  ACTIVITY_STATUS_COMPLETED: "signed",
  ACTIVITY_STATUS_CONSENSUS_NEEDED: "waiting",
  ACTIVITY_STATUS_REJECTED: "rejected",
  ACTIVITY_STATUS_FAILED: "failed",
};

export function statusOf({ status }: Activity): Status {
  return STATUSES[status] ?? "running";
}

/** An activity of this agent as the tools answer it. */
export async function shownActivity(agent: Agent, activity: Activity) {
  const facts = factsOf(activity);
  const isWaiting = facts.status === "waiting";
  const missing = isWaiting ? await missingApprovals(activity, agent.client).catch(() => []) : [];
  return answer(
    {
      ...facts,
      ...(isWaiting && {
        neededApprovals: dataIn(missing.map(({ json }) => (json as { userIds: string[] }).userIds)),
      }),
    },
    [
      `${facts.kind} ${facts.status}: activity ${facts.activityId}`,
      ...(facts.signedTransaction
        ? [`signed transaction: ${ofUsualLength(facts.signedTransaction)}`]
        : []),
      ...(facts.signature ? [`signature (${facts.scheme}): ${facts.signature}`] : []),
      ...(facts.failure ? [`failure: ${facts.failure}`] : []),
      ...(isWaiting
        ? [
            ...missing.map(({ line }) => data(line, 1000)),
            `a person approves it with \`keyhearth activities approve ${facts.activityId} --fingerprint ${facts.fingerprint}\`; wait_for_approval waits for that`,
          ]
        : []),
    ],
  );
}

/** Throws if what the service shows was not stamped so, or is of a form that a command line must not have in it. */
export function factsOf(activity: Activity): Facts {
  const { id, fingerprint, createdAt, votes, result, failure } = activity;
  const stamped = createHash("sha256")
    .update(votes[0]?.message ?? "")
    .digest("hex");
  if (fingerprint !== `sha256:${stamped}` || !/^[0-9a-f-]{36}$/.test(id)) {
    throw new Unverified(
      "the service shows a request that does not match its fingerprint, so nothing of it is shown: check the address of the service",
      { code: "UNVERIFIED" },
    );
  }
  const { parameters, timestampMs } = messageOf(activity);
  const isTransaction = activity.type === "ACTIVITY_TYPE_SIGN_TRANSACTION_V2";
  const status = statusOf(activity);
  return {
    activityId: id,
    kind: isTransaction ? "transaction" : "message",
    status,
    fingerprint,
    ...(timestampMs !== undefined && { timestampMs }),
    signWith: data(String(parameters.signWith ?? "")),
    createdAt: timeOf(createdAt),
    votes: votes.slice(0, MOST_VOTES).map(({ userId, user, selection }) => ({
      userId: data(userId),
      userName: data(user.userName, 100),
      selection: selection === "VOTE_SELECTION_APPROVED" ? "approved" : "rejected",
    })),
    ...(status === "signed" && signatureIn(result, String(parameters.hashFunction))),
    ...(failure?.message && { failure: data(failure.message) }),
  };
}

type Facts = Signature & {
  activityId: string;
  kind: "transaction" | "message";
  status: Status;
  fingerprint: string;
  timestampMs?: string;
  signWith: string;
  createdAt: string;
  votes: { userId: string; userName: string; selection: string }[];
  failure?: string;
};

type Signature = { signedTransaction?: string; signature?: string; scheme?: string };

const MOST_VOTES = 50;

/** What was stamped, as the first vote has it. */
function messageOf({ votes }: Activity) {
  try {
    const { parameters, timestampMs } = JSON.parse(votes[0]?.message ?? "{}");
    return {
      parameters: Object(parameters) as Record<string, unknown>,
      timestampMs: typeof timestampMs === "string" ? data(timestampMs, 20) : undefined,
    };
  } catch {
    return { parameters: {}, timestampMs: undefined };
  }
}

function signatureIn(result: Activity["result"], hashFunction: string): Signature {
  const { signTransactionResult: transaction, signRawPayloadResult: payload } = result;
  if (transaction !== undefined) {
    return { signedTransaction: hexIn(transaction.signedTransaction, MOST_SIGNED) };
  }
  if (payload === undefined) return {};
  const [r, s, v] = [hexIn(payload.r, 64), hexIn(payload.s, 64), hexIn(payload.v, 2)];
  return messageSignature({ r, s, v }, hashFunction as HashFunction);
}

/** A text that is cut would look whole. */
function ofUsualLength(hex: string): string {
  return hex.length <= 8000 ? hex : `${hex.length} characters, in structuredContent`;
}

/** A signed transaction is as long as the unsigned one and its signatures. */
const MOST_SIGNED = 600_000;

function hexIn(text: string, most: number): string {
  if (text.length <= most && /^[0-9a-f]+$/i.test(text)) return text;
  throw new UnexpectedAnswer("a signature that is not hex", { code: "INVALID_RESPONSE" });
}
