import {
  type Activity,
  type HashFunction,
  UnexpectedAnswer,
  Unverified,
  type VerifiedRequest,
} from "@keyhearth/sdk";
import { verifyStampedRequest } from "@keyhearth/sdk/crypto";
import { missingApprovals } from "../denials.ts";
import { InputError } from "../errors.ts";
import { messageSignature } from "../messages.ts";
import { timeOf } from "../tables.ts";
import type { Agent } from "./agent.ts";
import { answer, data, dataIn } from "./answers.ts";
import { keyNamed } from "./named-keys.ts";

// The requests for signatures that the agent made, as the tools answer them. The service could show a request that
// is not the agent's: whose it is follows from the stamp, and what was signed from the signature.

/** Which request a tool is asked about. */
export type Which = {
  readonly activityId: string;
  /** Another one is refused. */
  readonly fingerprint?: string | undefined;
};

/** Reads a request of this agent. Others are not its business, also where its user may read them. */
export async function readOwn(
  agent: Agent,
  { activityId, fingerprint }: Which,
  signal?: AbortSignal,
) {
  const { activity } = await agent.client.getActivity({ activityId }, signal ? { signal } : {});
  if (isOwn(activity, agent) && activity.id === activityId) {
    agent.sent.check(activityId, activity.fingerprint, fingerprint);
    return activity;
  }
  throw new InputError(
    `${activityId} is not a request for a signature that this agent made with its key: list_requests lists those`,
  );
}

/** Whether the service shows it as the agent's. `factsOf` verifies the stamp. */
export function isOwn({ type, votes }: Activity, { userId, publicKey }: Agent): boolean {
  const [first] = votes;
  return (
    first?.userId === userId &&
    first.publicKey?.toLowerCase() === publicKey &&
    SIGN_TYPES.some((each) => each === type)
  );
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

/**
 * An activity of this agent as the tools answer it. The command that approves it is shown only for a request that is known
 * to be the one asked about.
 */
export async function shownActivity(agent: Agent, activity: Activity, fingerprint?: string) {
  const request = verified(activity, agent);
  const facts = {
    ...factsOf(activity, agent),
    ...(statusOf(activity) === "signed" && (await signatureIn(agent, activity, request))),
  };
  const isKnown = agent.sent.check(facts.activityId, facts.fingerprint, fingerprint) === true;
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
            isKnown
              ? `a person approves it with \`keyhearth activities approve ${facts.activityId} --fingerprint ${facts.fingerprint}\`; wait_for_approval waits for that`
              : "this server did not send it: call get_request again with the fingerprint that the call for the signature answered, to get the command that approves it",
          ]
        : []),
    ],
  );
}

/** Throws unless the agent's key stamped what is shown, and the id is of the form that a command line may have in it. */
function verified(activity: Activity, agent: Agent): VerifiedRequest {
  if (!/^[0-9a-f-]{36}$/.test(activity.id)) throw notShown("an id that is not one");
  const request = verifyStampedRequest(activity);
  if (request.publicKey.toLowerCase() !== agent.publicKey) {
    throw notShown("a request that another key stamped");
  }
  if (request.type !== activity.type) throw notShown("a request as one of another type");
  return request;
}

function notShown(what: string): Unverified {
  return new Unverified(
    `the service shows ${what}, so nothing of it is shown: check the address of the service`,
    { code: "UNVERIFIED" },
  );
}

/** What is known of a request without its signature. Throws unless the agent's key stamped it. */
export function factsOf(activity: Activity, agent: Agent): Facts {
  const { id, createdAt, votes, failure } = activity;
  const { fingerprint, parameters, timestampMs } = verified(activity, agent);
  const isTransaction = activity.type === "ACTIVITY_TYPE_SIGN_TRANSACTION_V2";
  const status = statusOf(activity);
  return {
    activityId: id,
    kind: isTransaction ? "transaction" : "message",
    status,
    fingerprint,
    timestampMs: data(timestampMs, 20),
    signWith: data(String(parameters.signWith ?? "")),
    createdAt: timeOf(createdAt),
    votes: votes.slice(0, MOST_VOTES).map(({ userId, user, selection }) => ({
      userId: data(userId),
      userName: data(user.userName, 100),
      selection: selection === "VOTE_SELECTION_APPROVED" ? "approved" : "rejected",
    })),
    ...(failure?.message && { failure: data(failure.message) }),
  };
}

type Facts = Signature & {
  activityId: string;
  kind: "transaction" | "message";
  status: Status;
  fingerprint: string;
  timestampMs: string;
  signWith: string;
  createdAt: string;
  votes: { userId: string; userName: string; selection: string }[];
  failure?: string;
};

type Signature = { signedTransaction?: string; signature?: string; scheme?: string };

const MOST_VOTES = 50;

/** The signature, once it is proven to be one of the key that was named, over what was asked for. */
async function signatureIn(
  { client }: Agent,
  { id, result }: Activity,
  { parameters }: VerifiedRequest,
): Promise<Signature> {
  const [{ isSignedPayload }, { isSignedTransaction }] = await Promise.all([
    import("./signature-checks.ts"),
    import("@keyhearth/crypto/transactions/signed-transaction"),
  ]);
  const { signTransactionResult: transaction, signRawPayloadResult: payload } = result;
  const text = (name: string) => String(parameters[name] ?? "");
  const type = text("type");
  const key = await keyNamed(client, text("signWith"));
  if (transaction !== undefined) {
    const signedTransaction = hexIn(transaction.signedTransaction, MOST_SIGNED);
    const asked = { type, unsignedTransaction: text("unsignedTransaction") };
    if (isSignedTransaction(asked, signedTransaction, key)) return { signedTransaction };
  }
  if (payload !== undefined) {
    const [r, s, v] = [hexIn(payload.r, 64), hexIn(payload.s, 64), hexIn(payload.v, 2)];
    const hashFunction = text("hashFunction");
    const asked = { payload: text("payload"), encoding: text("encoding"), hashFunction };
    if (isSignedPayload(asked, { r, s, v }, key)) {
      return messageSignature({ r, s, v }, hashFunction as HashFunction);
    }
  }
  throw new Unverified(
    `the service shows no valid signature of the request ${id} by ${data(text("signWith"), 100)}, so none is shown: do not ask for it as a new request, and check the address of the service`,
    { code: "UNVERIFIED" },
  );
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
