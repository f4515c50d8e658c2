import { activityOfType } from "@keyhearth/engine/activities/index";
import type { Attempt } from "./mutate.ts";
import type { Acknowledged, Tenant } from "./state.ts";
import type { Reply } from "./wire.ts";

// What must hold of every answer.

/** Lists end early instead. One activity may be nearly 1 MiB on top. */
const MAX_ANSWER = 9 * 1024 * 1024;

/** What is wrong with an answer, or undefined. While a part is down, 503 is the right answer. */
export function faultOf(
  { wire, mustFail }: Attempt,
  reply: Reply,
  { tenant, isDown }: { tenant: Tenant | undefined; isDown: boolean },
): string | undefined {
  const { status, text, headers } = reply;
  const isTemporary = status === 503 && headers["retry-after"] !== undefined;
  if (status >= 500 && !(isDown && isTemporary)) return `answered with ${status}`;
  if (text.length > MAX_ANSWER) return `an answer of ${text.length} characters`;
  if (mustFail && status < 400) return "accepted what must be refused";
  if (tenant) {
    const sent = Buffer.from(wire.body).toString("utf8");
    const seen = text.match(/canary-\d+-/g) ?? [];
    const leaked = seen.find((each) => each !== tenant.canary && !sent.includes(each));
    if (leaked) return `told ${tenant.canary} about ${leaked}`;
  }
  const isOfApi = /^\/public\/v1\/(submit|query)\/\w+$/.test(wire.path) && wire.method === "POST";
  // Headers that are too long are refused before anybody reads them.
  const hasError = status >= 400 && status < 500 && status !== 431;
  return isOfApi && hasError ? faultOfError(text) : undefined;
}

/** Texts of libraries and of the language, which tell a client nothing. */
const foreign =
  /\bat .+\.[jt]s:\d+|node_modules|TypeError|ZodError|SyntaxError|Cannot read prop|is not a function|in JSON at position|invalid input syntax|violates /;

function faultOfError(text: string): string | undefined {
  let error: { code?: unknown; message?: unknown; details?: unknown };
  try {
    error = JSON.parse(text);
  } catch {
    return "an error that is not JSON";
  }
  const { code, message, details } = error;
  if (typeof code !== "number" || typeof message !== "string" || message === "") {
    return "an error without a code and a message";
  }
  if (!Array.isArray(details)) return "an error without details";
  return foreign.test(message) ? "the text of a library in an error" : undefined;
}

/** The activity in an answer, if it has one. */
export function activityOf({ status, text }: Reply): Acknowledged | undefined {
  if (status !== 200) return undefined;
  const { activity } = JSON.parse(text) as { activity?: Record<string, unknown> };
  if (!activity || typeof activity.id !== "string") return undefined;
  return {
    organizationId: String(activity.organizationId),
    activityId: activity.id,
    status: String(activity.status),
    fingerprint: String(activity.fingerprint),
    result: publicResultOf(activity) + JSON.stringify(activity.failure ?? null),
  };
}

/** What every user of the organization is shown. */
function publicResultOf({ type, result = null }: Record<string, unknown>): string {
  const { private: hidden = [] } = activityOfType(String(type)).answer ?? {};
  return JSON.stringify(result, (member, value) => (hidden.includes(member) ? undefined : value));
}

const waiting = ["ACTIVITY_STATUS_CONSENSUS_NEEDED", "ACTIVITY_STATUS_PENDING"];

/** Whether a later answer about an activity fits an earlier one: what has ended stays as it is. */
export function isKept(earlier: Acknowledged, later: Acknowledged): boolean {
  if (earlier.fingerprint !== later.fingerprint) return false;
  if (waiting.includes(earlier.status)) return true;
  return earlier.status === later.status && earlier.result === later.result;
}
