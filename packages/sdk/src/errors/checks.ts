import type { FieldProblem } from "./errors.ts";
import { isId, isSignal, isText, shown } from "./given-values.ts";
import { invalidFields } from "./invalid-fields.ts";

// What programs in plain JavaScript may get wrong, and a compiler would have told them.

type GivenOptions = {
  baseUrl?: unknown;
  organizationId?: unknown;
  stamper?: { stamp?: unknown };
  fetch?: unknown;
  poll?: { intervalMs?: unknown; timeoutMs?: unknown };
  timeoutMs?: unknown;
  maxRetries?: unknown;
  quorumPublicKey?: unknown;
  traceparent?: unknown;
};

/** Throws `InvalidField` with all options of a connection that cannot be used. */
export function checkConnectionOptions(options: GivenOptions): void {
  const { baseUrl, organizationId, stamper, quorumPublicKey, ...rest } = { ...options };
  const fields: FieldProblem[] = [];
  const problem = (field: string, message: string) => fields.push({ field, message });
  if (!isAddress(baseUrl)) {
    problem(
      "baseUrl",
      `must be an address such as http://127.0.0.1:3000, without a password, ? or #, but is ${shown(baseUrl)}`,
    );
  }
  if (!isId(organizationId)) {
    problem(
      "organizationId",
      `must be the UUID of an organization, but is ${shown(organizationId)}`,
    );
  }
  if (typeof stamper?.stamp !== "function") {
    problem(
      "stamper",
      "must be a stamper, such as new ApiKeyStamper({ apiPublicKey, apiPrivateKey })",
    );
  }
  if (quorumPublicKey !== undefined && !isText(quorumPublicKey, /^(04[0-9a-f]{128}){2}$/i)) {
    problem("quorumPublicKey", "must be the service's quorum key: 130 bytes in hex");
  }
  if (rest.fetch !== undefined && typeof rest.fetch !== "function") {
    problem("fetch", "must be a function like the global fetch");
  }
  if (rest.traceparent !== undefined && typeof rest.traceparent !== "function") {
    problem("traceparent", "must be a function that returns the header of a trace");
  }
  const { intervalMs, timeoutMs } = { ...rest.poll };
  const numbers = {
    timeoutMs: rest.timeoutMs,
    maxRetries: rest.maxRetries,
    "poll.intervalMs": intervalMs,
    "poll.timeoutMs": timeoutMs,
  };
  for (const [field, value] of Object.entries(numbers)) {
    const least = field === "timeoutMs" || field === "poll.intervalMs" ? 1 : 0;
    if (value === undefined || isCount(value, least)) continue;
    problem(field, `must be a whole number from ${least} to ${MOST}, but is ${shown(value)}`);
  }
  if (fields.length > 0) throw invalidFields(...fields);
}

/** Timers with longer delays ring at once. */
const MOST = 2 ** 31 - 1;

/**
 * The options of a call. A text in their place, or an organization that is null, would otherwise be
 * overlooked, and the request would go to the connection's own organization.
 */
export async function checkedOptions<Options extends object>(options: Options): Promise<Options> {
  const given: { organizationId?: unknown; signal?: unknown } = { ...options };
  const { organizationId = NO_ID, signal } = given;
  const isObject = typeof options === "object" && options !== null;
  if (isObject && isId(organizationId) && (signal === undefined || isSignal(signal))) {
    return options;
  }
  // What to say is loaded when it is needed, so that pages stay small.
  const { optionsProblem } = await import("./call-problems.ts");
  throw optionsProblem(options);
}

const NO_ID = "00000000-0000-0000-0000-000000000000";

/** The header of a stamper, which the program may have written itself. */
export async function checkedHeader(header: {
  name: string;
  value: string;
}): Promise<typeof header> {
  const { name, value } = { ...header };
  if (isText(name, /^[\w-]+$/) && isText(value, /^[ -~]*$/)) return { name, value };
  throw (await import("./call-problems.ts")).stamperProblem();
}

/** The body of a request. Throws `InvalidField` for what JSON does not have, such as a BigInt. */
export async function json(body: object): Promise<string> {
  try {
    return JSON.stringify(body);
  } catch {
    throw (await import("./call-problems.ts")).jsonProblem();
  }
}

function isAddress(text: unknown): boolean {
  try {
    const { protocol, username, password, search, hash } = new URL(String(text));
    return /^https?:$/.test(protocol) && !(username + password + search + hash);
  } catch {
    return false;
  }
}

function isCount(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= MOST;
}
