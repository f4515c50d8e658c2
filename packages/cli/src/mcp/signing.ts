import {
  type Activity,
  Cancelled,
  ConsensusNeeded,
  KeyhearthError,
  PolicyDenied,
  Unavailable,
  UnexpectedAnswer,
  Unverified,
} from "@keyhearth/sdk";
import { type Agent, refuseRoot } from "./agent.ts";
import { refusal } from "./answers.ts";
import type { LostAnswers } from "./lost-answers.ts";
import { shownActivity } from "./own-requests.ts";
import { requestOf, type SignRequest, type Wanted } from "./requests.ts";

type Options = { readonly timestampMs?: string | undefined; readonly signal: AbortSignal };

/** Asks for a signature. The answer has it, or says whose approvals it waits for. */
export async function sign(
  agent: Agent,
  wanted: Wanted,
  { lost, timestampMs: given, signal }: Options & { readonly lost: LostAnswers },
) {
  await refuseRoot(agent);
  const request = await requestOf(agent, wanted);
  const timestampMs = lost.begin(request, given);
  try {
    const activity = await submitted(agent, request, { timestampMs, signal });
    agent.sent.remember(activity.id, activity.fingerprint);
    const shown = await shownActivity(agent, activity);
    // A caller who has gone away did not read it.
    if (!signal.aborted) lost.end(request);
    return shown;
  } catch (error) {
    const isLost =
      !(error instanceof KeyhearthError) ||
      error instanceof Unavailable ||
      error instanceof UnexpectedAnswer ||
      error instanceof Unverified ||
      error instanceof Cancelled;
    if (!isLost) lost.end(request);
    const hint = `timestampMs ${timestampMs} identifies this request: call again with it, and nothing is signed twice`;
    const added = isLost
      ? { json: { timestampMs }, lines: [hint] }
      : error instanceof PolicyDenied
        ? await approvalsInstead(agent, request)
        : {};
    const refused = await refusal(error, agent, added);
    if (refused === undefined) throw error;
    return refused;
  }
}

async function submitted(
  { client }: Agent,
  { type, parameters }: SignRequest,
  options: { timestampMs: string; signal: AbortSignal },
): Promise<Activity> {
  try {
    const { activity } =
      type === "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"
        ? await client.signTransaction(parameters, { ...options, type })
        : await client.signRawPayload(parameters, { ...options, type });
    return activity;
  } catch (error) {
    if (error instanceof ConsensusNeeded) return error.activity;
    throw error;
  }
}

/** Whose approvals would have allowed a request that was denied, if any. */
async function approvalsInstead({ client }: Agent, { type, parameters }: SignRequest) {
  try {
    const { neededApprovals } = await client.simulateActivity({
      activity: { type, parameters: { ...parameters } },
    });
    const lines = neededApprovals.map((ids) => `approvals that would allow it: ${ids.join(", ")}`);
    return {
      json: { neededApprovals },
      lines:
        lines.length > 0
          ? lines
          : ["no approvals would allow it: the policies must change, or the request"],
    };
  } catch {
    return {};
  }
}
