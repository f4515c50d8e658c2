import { isIP } from "node:net";
import type { Fetch } from "../connection/request.ts";
import { serviceAddress } from "../connection/service-address.ts";
import { asObject } from "../errors/as-object.ts";
import type { FieldProblem } from "../errors/errors.ts";
import { shown } from "../errors/given-values.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import { readLimited } from "./read-limited.ts";
import { type ProxyAnswer, ProxyRefusal } from "./refusal.ts";

/** An endpoint of the API, such as `query/get_wallets` or `submit/sign_raw_payload`. */
export type Endpoint = `query/${string}` | `submit/${string}`;

/** What a proxy forwards, and to where. */
export type ProxyOptions = {
  /** Address of the service, such as `http://127.0.0.1:3000`. */
  baseUrl: string;
  /** The endpoints that are forwarded. Requests to all others are refused. */
  allow: readonly Endpoint[];
  /** The largest body that is forwarded. Default: 1 MiB, which is also the service's limit. */
  maxBodyBytes?: number;
  /** How long a client may take to send its body, and the service to answer. Default: 30 seconds. */
  timeoutMs?: number;
  /** Used instead of the global `fetch`. */
  fetch?: Fetch;
};

/** A request as a framework received it. */
export type Incoming = {
  method: string;
  /** The path, which may have more in front of it, and a query string behind. */
  path: string;
  header(name: string): string | undefined;
  /** The exact bytes of the body. Throws a `ProxyRefusal` if there are more than `limit`. */
  readBody(limit: number, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** Sent to the service as `X-Forwarded-For`, if it is an IP address. */
  clientAddress: string | undefined;
  /** Aborts if the client goes away. */
  gone: AbortSignal;
};

/** The headers that say who stamped a request. Cookies and `Authorization` are not forwarded. */
const forwardedHeaders = ["X-Stamp", "X-Stamp-Webauthn", "X-Stamp-Attested", "X-Session"];

/** The headers of an answer that are passed on. */
const returnedHeaders = ["Retry-After", "X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining"];

/** Larger than any answer of the service. */
const maxAnswerBytes = 64 * 1024 * 1024;

/**
 * A function that forwards stamped requests to the endpoints of the list, and nothing else. It sends
 * the exact bytes that were stamped, and follows no redirect. Throws `InvalidField` for wrong options.
 */
export function createForwarder(
  options: ProxyOptions,
): (incoming: Incoming) => Promise<ProxyAnswer> {
  checkOptions(asObject(options));
  const { baseUrl, allow, maxBodyBytes = 1024 * 1024, timeoutMs = 30_000 } = options;
  const service = serviceAddress(new URL(baseUrl).href);
  const allowed = new Set<string>(allow);
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  return async (incoming) => {
    try {
      const endpoint = endpointOf(incoming, allowed);
      const headers = headersOf(incoming);
      const body = await bodyOf(incoming, { maxBodyBytes, timeoutMs });
      const url = `${service}/public/v1/${endpoint}`;
      const init = { method: "POST", headers, body, redirect: "manual" } as const;
      return await ask(url, init, { fetch, timeoutMs, gone: incoming.gone });
    } catch (error) {
      if (error instanceof ProxyRefusal) return error.answer;
      throw error;
    }
  };
}

/** The endpoint, if it is one of the list. The target is made of it, and not of the request's path. */
function endpointOf({ method, path }: Incoming, allowed: ReadonlySet<string>): string {
  const [pathname = ""] = path.split("?");
  const [, endpoint = ""] = /\/public\/v1\/((?:query|submit)\/[a-z0-9_]+)$/.exec(pathname) ?? [];
  if (!allowed.has(endpoint)) {
    throw new ProxyRefusal(
      "ROUTE_NOT_FOUND",
      "this proxy does not forward requests to this path; if it should, add the endpoint to the proxy's `allow`",
    );
  }
  if (method !== "POST") {
    throw new ProxyRefusal("METHOD_NOT_ALLOWED", "the API takes POST with a JSON body");
  }
  return endpoint;
}

function headersOf({ header, clientAddress }: Incoming): Record<string, string> {
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  let isStamped = false;
  for (const name of forwardedHeaders) {
    const value = header(name);
    if (value === undefined) continue;
    headers[name] = value;
    isStamped = true;
  }
  if (!isStamped) {
    throw new ProxyRefusal(
      "STAMP_MISSING",
      `the request has no stamp; send one of ${forwardedHeaders.join(", ")}`,
    );
  }
  if (clientAddress !== undefined && isIP(clientAddress) !== 0) {
    headers["X-Forwarded-For"] = clientAddress;
  }
  return headers;
}

/** The bytes of a body, within its limits. */
export async function bodyOf(
  incoming: Incoming,
  { maxBodyBytes, timeoutMs }: { maxBodyBytes: number; timeoutMs: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = incoming.header("Content-Encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new ProxyRefusal(
      "BAD_REQUEST_BODY",
      "the body is compressed; send it uncompressed, because the stamp is over the JSON itself",
    );
  }
  if (Number(incoming.header("Content-Length") ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const tooSlow = AbortSignal.timeout(timeoutMs);
  const body = await incoming.readBody(maxBodyBytes, tooSlow);
  if (tooSlow.aborted) {
    throw new ProxyRefusal(
      "PROXY_BODY_TIMEOUT",
      `the request's body did not arrive within ${timeoutMs} ms; send it again`,
    );
  }
  if (body.length > maxBodyBytes) throw tooLarge(maxBodyBytes);
  return body;
}

/** The refusal of a body that is larger than the limit. */
export function tooLarge(maxBodyBytes: number): ProxyRefusal {
  return new ProxyRefusal(
    "BODY_TOO_LARGE",
    `the request body is larger than ${maxBodyBytes} bytes; send less in one request`,
  );
}

async function ask(
  url: string,
  init: RequestInit,
  { fetch, timeoutMs, gone }: { fetch: Fetch; timeoutMs: number; gone: AbortSignal },
): Promise<ProxyAnswer> {
  const tooSlow = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([tooSlow, gone]);
  try {
    const response = await fetch(url, { ...init, signal });
    return await answerOf(response, signal);
  } catch (error) {
    if (error instanceof ProxyRefusal) throw error;
    // The cause is left out, because it may name addresses of the internal network.
    if (tooSlow.aborted) {
      throw new ProxyRefusal(
        "PROXY_SERVICE_TIMEOUT",
        `the service did not answer within ${timeoutMs} ms; a submission may have been executed, and sending the same bytes again is safe`,
      );
    }
    throw new ProxyRefusal(
      "PROXY_SERVICE_UNREACHABLE",
      "the proxy cannot reach the service; send the same bytes again in a moment",
    );
  }
}

async function answerOf(response: Response, signal: AbortSignal): Promise<ProxyAnswer> {
  const { status } = response;
  const contentType = response.headers.get("content-type") ?? "";
  // A redirect, a page, or anything else that the service does not answer is not passed on.
  const isAnswer = (status === 200 || status >= 400) && /^application\/json\b/i.test(contentType);
  if (!isAnswer || response.body === null) {
    await response.body?.cancel();
    throw notTheService();
  }
  const body = await readLimited(response.body, maxAnswerBytes, signal);
  if (body === "too large") {
    await response.body.cancel();
    throw notTheService();
  }
  signal.throwIfAborted();
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
  };
  for (const name of returnedHeaders) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return { status, headers, body };
}

function notTheService(): ProxyRefusal {
  return new ProxyRefusal(
    "PROXY_ANSWER_INVALID",
    "what answered the proxy is not a Keyhearth service; set the proxy's `baseUrl` to the address of the service",
  );
}

function checkOptions({ baseUrl, allow, maxBodyBytes, timeoutMs }: ProxyOptions): void {
  const fields: FieldProblem[] = [];
  const problem = (field: string, message: string) => fields.push({ field, message });
  const url = typeof baseUrl === "string" && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    problem("baseUrl", "must be the address of the service, such as http://127.0.0.1:3000");
  } else if (url.username || url.password) {
    problem("baseUrl", "must not have a user name or a password: the service takes stamps only");
  }
  if (!Array.isArray(allow) || allow.length === 0) {
    problem("allow", 'must list the endpoints to forward, such as ["query/whoami"]');
  } else {
    allow.forEach((endpoint, at) => {
      if (typeof endpoint === "string" && /^(query|submit)\/[a-z0-9_]+$/.test(endpoint)) return;
      const given = shown(endpoint);
      problem(`allow[${at}]`, `must be query/… or submit/… and a name, but is ${given}`);
    });
  }
  for (const [field, value] of Object.entries({ maxBodyBytes, timeoutMs })) {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue;
    problem(field, `must be a whole number above 0, but is ${shown(value)}`);
  }
  if (fields.length > 0) throw invalidFields(...fields);
}
