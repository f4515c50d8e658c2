import { answerError, KeyhearthError, parseObject } from "./errors.ts";

/** Puts a signature over a request's body into a header. */
export type Stamper = {
  stamp(body: string): Promise<{ name: string; value: string }>;
};

/** The part of `fetch` that the client uses. In tests it can be an application in memory. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type StampedRequest = {
  url: string;
  /** Sent exactly as it is, because the stamp covers these characters. */
  body: string;
  header: { name: string; value: string };
  fetch: Fetch;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

const maxRetries = 3;
const firstDelayMs = 250;
const maxDelayMs = 10_000;

/**
 * Posts a stamped body and returns the JSON object of the answer. After a 429 or 503 that asks to
 * retry within ten seconds, it tries again up to three times. That is safe because the bytes stay the
 * same: they are the same activity, which the service executes once.
 */
export async function post(request: StampedRequest): Promise<Record<string, unknown>> {
  for (let retries = 0; ; retries++) {
    const { response, text } = await send(request);
    if (response.ok) return parseAnswer(response, text);
    const delayMs = retryDelayMs(response, retries);
    if (delayMs === undefined) throw answerError(response.status, text);
    await sleep(delayMs, request.signal);
  }
}

/** Waits, but rejects at once if the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
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

async function send({ url, body, header, fetch, timeoutMs, signal }: StampedRequest) {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", [header.name]: header.value },
      body,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    // The body may not have arrived yet: the same signal covers reading it.
    return { response, text: await response.text() };
  } catch (cause) {
    if (signal?.aborted) throw aborted(signal);
    if (timeout.aborted) {
      const message = `no answer from ${new URL(url).origin} within ${timeoutMs} ms`;
      throw new KeyhearthError(message, { code: "TIMEOUT", cause });
    }
    const message = `could not reach ${new URL(url).origin}`;
    throw new KeyhearthError(message, { code: "NETWORK", cause });
  }
}

function parseAnswer(response: Response, text: string): Record<string, unknown> {
  const answer = parseObject(text);
  if (answer) return answer;
  throw new KeyhearthError(`the service answered ${response.status}, but not with JSON`, {
    code: "INVALID_RESPONSE",
    httpStatus: response.status,
  });
}

function retryDelayMs(response: Response, retries: number): number | undefined {
  if (retries >= maxRetries) return undefined;
  const retryAfter = response.headers.get("retry-after");
  const retriable = [429, 503].includes(response.status) && retryAfter !== null;
  if (!retriable) return undefined;
  const seconds = Number(retryAfter);
  const asked = seconds >= 0 ? seconds * 1000 : firstDelayMs * 2 ** retries;
  // Jitter keeps clients that failed together from trying again together.
  return asked > maxDelayMs ? undefined : asked + Math.random() * firstDelayMs;
}

function aborted(signal: AbortSignal): KeyhearthError {
  return new KeyhearthError("the request was aborted", { code: "ABORTED", cause: signal.reason });
}
