import type { IncomingMessage, ServerResponse } from "node:http";
import { createForwarder, type Incoming, type ProxyOptions, tooLarge } from "./forward.ts";
import { joined } from "./read-limited.ts";
import { type ProxyAnswer, ProxyRefusal } from "./refusal.ts";

/** Options of the proxy for Express. */
export type ExpressProxyOptions = ProxyOptions & {
  /**
   * The client's IP address, which the service then gets as `X-Forwarded-For`. By default it gets
   * none. `(request) => request.ip` is right if Express' "trust proxy" is set as your network is.
   */
  clientAddress?: (request: ExpressRequest) => string | undefined;
};

/** What the proxy reads of a request. Express' own has it, and so has that of `node:http`. */
export type ExpressRequest = IncomingMessage & { body?: unknown; ip?: string | undefined };

/**
 * A proxy as a middleware of Express, or of anything else on `node:http`:
 * `app.use("/keyhearth", expressProxyHandler({ baseUrl, allow }))`. Put it in front of
 * `express.json()`, which consumes the stamped bytes. `express.raw()` may come first.
 */
export function expressProxyHandler(options: ExpressProxyOptions): ExpressHandler {
  return expressHandler(createForwarder(options), options);
}

/** A middleware of Express. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

/** What answers requests, on `node:http`. */
export function expressHandler(
  forward: (incoming: Incoming) => Promise<ProxyAnswer>,
  options: Pick<ExpressProxyOptions, "clientAddress">,
): ExpressHandler {
  return async (request, response, next) => {
    const gone = new AbortController();
    const onClose = () => gone.abort();
    response.once("close", onClose);
    try {
      const answer = await forward({
        method: request.method ?? "",
        path: request.url ?? "",
        header: (name) => headerOf(request, name),
        readBody: (limit, signal) => readBody(request, limit, signal),
        clientAddress: options.clientAddress?.(request),
        gone: gone.signal,
      });
      if (!response.destroyed) send(response, answer);
    } catch (error) {
      next(error);
    } finally {
      response.off("close", onClose);
      // What is left of a refused body has to be read, or the client never reads the answer.
      request.resume();
    }
  };
}

function send(response: ServerResponse, { status, headers, body }: ProxyAnswer) {
  response.writeHead(status, { ...headers, "Content-Length": body.length });
  response.end(body);
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : value;
}

async function readBody(
  request: ExpressRequest,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  // What `express.raw()` read.
  if (request.body instanceof Uint8Array) return new Uint8Array(request.body);
  if (request.readableDidRead) {
    throw new ProxyRefusal(
      "PROXY_BODY_CONSUMED",
      "the request's body was parsed before the proxy got it, so the stamped bytes are lost; put the proxy in front of express.json(), or use express.raw() for its path",
    );
  }
  return readStream(request, limit, signal);
}

// Leaving a `for await` early would destroy the connection, and with it the answer.
function readStream(
  request: IncomingMessage,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const end = (outcome: () => void) => {
      request.off("data", onData).off("end", onEnd).off("error", onLost).off("close", onLost);
      signal.removeEventListener("abort", onEnd);
      outcome();
    };
    const onData = (chunk: Uint8Array) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > limit) end(() => reject(tooLarge(limit)));
    };
    // If time is up, the caller sees it at the signal.
    const onEnd = () => end(() => resolve(joined(chunks, length)));
    const onLost = () =>
      end(() =>
        reject(
          new ProxyRefusal("BAD_REQUEST_BODY", "the request's body ended early; send it again"),
        ),
      );
    request.on("data", onData).on("end", onEnd).on("error", onLost).on("close", onLost);
    signal.addEventListener("abort", onEnd, { once: true });
  });
}
