import { createForwarder, type Incoming, type ProxyOptions, tooLarge } from "./forward.ts";
import { readLimited } from "./read-limited.ts";
import { type ProxyAnswer, ProxyRefusal } from "./refusal.ts";

/** Options of proxies in frameworks that have `Request` and `Response`. */
export type WebProxyOptions = ProxyOptions & {
  /**
   * The client's IP address, which the service then gets as `X-Forwarded-For`. By default it gets
   * none. Take it only from a header that your own platform sets, because clients can send any.
   */
  clientAddress?: (request: Request) => string | undefined;
};

/**
 * A proxy for every framework that has `Request` and `Response`, such as Deno, Bun and workers. It
 * forwards stamped requests to the endpoints of `allow`.
 */
export function proxyHandler(options: WebProxyOptions): (request: Request) => Promise<Response> {
  return webHandler(createForwarder(options), options);
}

/** What answers requests, in frameworks that have `Request` and `Response`. */
export function webHandler(
  answer: (incoming: Incoming) => Promise<ProxyAnswer>,
  { clientAddress }: Pick<WebProxyOptions, "clientAddress">,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, headers, body } = await answer({
      method: request.method,
      path: new URL(request.url).pathname,
      header: (name) => request.headers.get(name) ?? undefined,
      readBody: (limit, signal) => readBody(request, limit, signal),
      clientAddress: clientAddress?.(request),
      gone: request.signal,
    });
    // An answer of this status may have no body.
    return new Response(status === 204 ? null : body, { status, headers });
  };
}

/**
 * A proxy as a handler for Hono: `app.all("/keyhearth/*", honoProxyHandler({ baseUrl, allow }))`.
 */
export function honoProxyHandler(
  options: WebProxyOptions,
): (context: { req: { raw: Request } }) => Promise<Response> {
  const handle = proxyHandler(options);
  // The request itself, because Hono's own readers may write the JSON again.
  return ({ req }) => handle(req.raw);
}

/**
 * A proxy as a route handler of Next.js. In `app/keyhearth/[...path]/route.ts`:
 * `export const POST = nextProxyHandler({ baseUrl, allow })`.
 */
export function nextProxyHandler(
  options: WebProxyOptions,
): (request: Request) => Promise<Response> {
  const handle = proxyHandler(options);
  return (request) => handle(request);
}

async function readBody(
  request: Request,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  if (request.bodyUsed || request.body?.locked) {
    throw new ProxyRefusal(
      "PROXY_BODY_CONSUMED",
      "the request's body was read before the proxy got it, so the stamped bytes are lost; put the proxy in front of everything that reads bodies",
    );
  }
  if (request.body === null) return new Uint8Array();
  const body = await readLimited(request.body, limit, signal).catch(() => {
    throw new ProxyRefusal("BAD_REQUEST_BODY", "the request's body ended early; send it again");
  });
  // The rest is left to the server: to cancel the stream may close the connection before the answer.
  if (body === "too large") throw tooLarge(limit);
  return body;
}
