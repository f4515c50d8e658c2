import { Cancelled, KeyhearthError } from "../errors/errors.ts";
import { parseObject, retryAfterMs } from "./answers.ts";

/** Puts a signature over a request's body into a header. */
export type Stamper = {
  stamp(body: string): Promise<{ name: string; value: string }>;
};

/** The part of `fetch` that the client uses. In tests it can be an application in memory. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type StampedRequest = {
  baseUrl: string;
  /** The service whose site explains errors, if it is not at `baseUrl`. */
  siteUrl?: string;
  path: string;
  /** Sent exactly as it is, because the stamp covers these characters. */
  body: string;
  header: { name: string; value: string };
  /** Others beside it. */
  headers?: Record<string, string>;
  fetch: Fetch;
  timeoutMs: number;
  maxRetries: number;
  signal?: AbortSignal | undefined;
};

const firstDelayMs = 250;
const maxDelayMs = 10_000;

/** No answer of the service is as large. */
const maxAnswerBytes = 64 * 1024 * 1024;

/**
 * Posts a stamped body and returns the JSON object of the answer. It tries again if the connection
 * was lost, if a proxy could not reach the service, and if the service asks to retry within ten
 * seconds. That is safe because the bytes stay the same: they are the same activity, which the service
 * executes once.
 */
export async function post(request: StampedRequest): Promise<Record<string, unknown>> {
  for (let retries = 0; ; retries++) {
    const { answer, error, delayMs } = await attempt(request, retries);
    if (answer) return answer;
    if (retries >= request.maxRetries || delayMs === undefined) throw error;
    await sleep(delayMs, request);
  }
}

/** Waits, but rejects at once if the signal aborts. */
export function sleep(ms: number, { signal }: { signal?: AbortSignal | undefined }): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal));
    const onAbort = () => {
      clearTimeout(timer);
      if (signal) reject(aborted(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** A request's outcome; `delayMs` is when to try again, if that can help. */
type Outcome = { answer?: Record<string, unknown>; error?: KeyhearthError; delayMs?: number };

async function attempt(request: StampedRequest, retries: number): Promise<Outcome> {
  const backoffMs = firstDelayMs * 2 ** retries;
  const sent = await send(request);
  if (sent instanceof KeyhearthError) {
    const isLost = sent.code === "NETWORK";
    return { error: sent, ...(isLost ? { delayMs: jittered(backoffMs) } : {}) };
  }
  const { response, text } = sent;
  const answer = response.ok ? parseObject(text) : undefined;
  if (answer) return { answer };
  const error =
    (await refusal(response, text, request)) ?? (await unexpectedAnswer(response, request));
  const delayMs = retryDelayMs(response, error, backoffMs);
  return { error, ...(delayMs === undefined ? {} : { delayMs }) };
}

async function send(request: StampedRequest) {
  const { baseUrl, path, body, header, headers, fetch, timeoutMs, signal } = request;
  const { signal: either, isTimeUp, release } = withTimeout(timeoutMs, signal);
  try {
    const response = await fetch(baseUrl + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers, [header.name]: header.value },
      body,
      // Anyone who redirects would choose who gets the stamped request.
      redirect: "manual",
      signal: either,
    });
    if (isRedirect(response)) {
      void response.body?.cancel().catch(() => {});
      const { redirected } = await import("./unexpected-answers.ts");
      return redirected(response.headers.get("location"), { baseUrl, path });
    }
    // The body may not have arrived yet: the same signal covers reading it.
    const text = await readText(response);
    return text === undefined ? await unexpectedAnswer(response, { baseUrl }) : { response, text };
  } catch (cause) {
    if (signal?.aborted) throw aborted(signal);
    const isLate = isTimeUp();
    const { tooSlow, unreachable } = await import("./unreachable.ts");
    return isLate ? tooSlow(baseUrl, timeoutMs, cause) : unreachable(baseUrl, cause);
  } finally {
    release();
  }
}

async function refusal(response: Response, text: string, { baseUrl, siteUrl }: StampedRequest) {
  if (response.ok) return undefined;
  const { answerError } = await import("./refusals.ts");
  return answerError(response, text, siteUrl ?? baseUrl);
}

async function unexpectedAnswer({ status }: Response, { baseUrl }: { baseUrl: string }) {
  const { unexpected } = await import("./unexpected-answers.ts");
  return unexpected(status, baseUrl);
}

// Browsers hide the status of a redirect that is not followed, and React Native follows it all the same.
function isRedirect({ type, status, redirected }: Response): boolean {
  return redirected || type === "opaqueredirect" || (status >= 300 && status < 400);
}

/** The text of an answer, or undefined if it is too large to be one of the service. */
async function readText(response: Response): Promise<string | undefined> {
  const reader = response.body?.getReader?.();
  // React Native has no streams.
  if (!reader) return response.text();
  const decoder = new TextDecoder();
  let text = "";
  for (let length = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > maxAnswerBytes) {
      void reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

// React Native has neither AbortSignal.timeout nor AbortSignal.any.
function withTimeout(timeoutMs: number, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  let timeIsUp = false;
  const abort = () => controller.abort();
  const timer = setTimeout(() => {
    timeIsUp = true;
    abort();
  }, timeoutMs);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    isTimeUp: () => timeIsUp,
    release() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}

function retryDelayMs(
  { status, headers }: Response,
  { code }: KeyhearthError,
  backoffMs: number,
): number | undefined {
  const isFromProxy = [502, 503, 504].includes(status) && code === "INVALID_RESPONSE";
  const asksForRetry = [429, 502, 503].includes(status) && headers.has("retry-after");
  if (!isFromProxy && !asksForRetry) return undefined;
  const delayMs = retryAfterMs(headers) ?? backoffMs;
  return delayMs > maxDelayMs ? undefined : jittered(delayMs);
}

// Jitter keeps clients that failed together from trying again together.
function jittered(delayMs: number): number {
  return delayMs + Math.random() * firstDelayMs;
}

/** The error for a request whose signal has aborted. */
export function aborted(signal: AbortSignal): KeyhearthError {
  return new Cancelled(
    "The request was aborted by its signal. A submission may have been executed nevertheless: send it again with the same timestampMs to see",
    { code: "ABORTED", cause: signal.reason },
  );
}
