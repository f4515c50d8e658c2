import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIPv6, type LookupFunction } from "node:net";
import { isOwn, isPublic, parseAddress } from "./addresses.ts";
import { deferred } from "./deferred.ts";
import { OutboundError } from "./outbound-error.ts";
import { isAllowed, isListed, type Place, parsePrivateTarget, placeOf } from "./private-targets.ts";
import { type Resolve, resolveListedName, resolvePublicName } from "./resolve.ts";

export type GuardedOptions = {
  method?: "GET" | "HEAD" | "POST" | "PUT";
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** The most bytes of a response's body. A larger body is an error, unless `isCut`. */
  maxBytes: number;
  /** Takes the first `maxBytes` of a larger body. */
  isCut?: boolean;
  /** From the lookup of the name to the last byte of the response. */
  timeoutMs: number;
  /** What may be reached although it is private, as `parsePrivateTarget` reads it. */
  allowPrivate?: readonly string[];
  /** Refuses plain http, except to what `allowPrivate` lists. */
  isHttpsRequired?: boolean;
  /** Certificates to trust in place of the system's. */
  ca?: string;
  /** Finds the addresses of names, in place of the name servers. */
  resolve?: Resolve;
  /** Ends the request early. */
  signal?: AbortSignal;
};

export type GuardedResponse = { status: number; headers: IncomingHttpHeaders; body: Uint8Array };

const USER_AGENT = "Keyhearth";

/** Ports below 1024 belong to services of other kinds, which could take a request for commands. */
const WEB_PORTS = [80, 443];
const FIRST_FREE_PORT = 1024;

const MAX_URL_LENGTH = 2048;

/** Headers that decide where a message ends or who asks. */
const OWN_HEADERS =
  /^(host|connection|content-length|transfer-encoding|expect|upgrade|user-agent|te|trailer)$/i;

/**
 * Sends a request to a URL that somebody else chose. It reaches no private network: the name is looked
 * up once, every address of it is checked, and the connection goes to one of the checked addresses.
 * Redirects are not followed, certificates are always verified, and no proxy is used. Each request has a
 * connection of its own, so none goes over a connection that was checked for another one. Throws
 * `OutboundError` (decision 16).
 */
export async function guardedRequest(
  target: string | URL,
  options: GuardedOptions,
): Promise<GuardedResponse> {
  const url = checkUrl(target, options);
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout;
  try {
    const addresses = await untilAborted(signal, findAddresses(placeOf(url), signal, options));
    return await send(url, addresses, signal, options);
  } catch (error) {
    if (timeout.aborted) {
      throw new OutboundError("timeout", `no complete response within ${options.timeoutMs} ms`);
    }
    if (error instanceof OutboundError) throw error;
    throw new OutboundError("network", `the request failed: ${codeOf(error)}`, { cause: error });
  }
}

/**
 * What can be said about a URL before its name is looked up: why it is not accepted, or null. A name
 * can still turn out to be private.
 */
export function refusalOf(
  target: string | URL,
  {
    allowPrivate = [],
    isHttpsRequired = false,
  }: Pick<GuardedOptions, "allowPrivate" | "isHttpsRequired">,
): string | null {
  const url = URL.canParse(target) ? new URL(target) : null;
  if (!url || !["http:", "https:"].includes(url.protocol) || url.hostname === "") {
    return "it must be an http or https URL";
  }
  if (url.href.length > MAX_URL_LENGTH) return `it must have at most ${MAX_URL_LENGTH} characters`;
  if (url.username || url.password) return "it must not have a user name or password";
  const targets = readTargets(allowPrivate);
  const place = placeOf(url);
  if (isListed(targets, place)) return null;
  if (isHttpsRequired && url.protocol === "http:") return "it must be an https URL";
  const isFree = place.port >= FIRST_FREE_PORT || WEB_PORTS.includes(place.port);
  if (!isFree) return `port ${place.port} is not accepted: use 80, 443 or one from 1024`;
  const address = parseAddress(place.host);
  if (address && !isPublic(address)) return "its address is not a public one";
  return null;
}

function checkUrl(target: string | URL, options: GuardedOptions): URL {
  for (const name of Object.keys(options.headers ?? {})) {
    if (OWN_HEADERS.test(name)) throw new TypeError(`the header ${name} is not the caller's`);
  }
  const refusal = refusalOf(target, options);
  if (refusal !== null) throw new OutboundError("refused", `the URL was refused: ${refusal}`);
  return new URL(target);
}

/** One private address among several is enough to refuse the name: nobody needs such a name. */
async function findAddresses(
  place: Place,
  signal: AbortSignal,
  { allowPrivate = [], resolve }: GuardedOptions,
): Promise<string[]> {
  const targets = readTargets(allowPrivate);
  const isLiteral = parseAddress(place.host) !== null;
  const byDefault = isListed(targets, place) ? resolveListedName : resolvePublicName;
  const found = isLiteral ? [place.host] : await (resolve ?? byDefault)(place.host, signal);
  if (found.length === 0) {
    throw new OutboundError("unresolved", `the name ${place.host} has no address`);
  }
  return found.map((text) => {
    const address = parseAddress(text);
    if (!address) throw refusedAddress(place);
    const isOpen = isPublic(address) && !isOwn(address);
    if (!isOpen && !isAllowed(targets, address, place)) throw refusedAddress(place);
    return address.toString();
  });
}

function refusedAddress({ host }: Place): OutboundError {
  return new OutboundError("refused", `the URL was refused: ${host} is not at a public address`);
}

function readTargets(allowPrivate: readonly string[]) {
  return allowPrivate.map((text) => {
    const target = parsePrivateTarget(text);
    if (!target) throw new TypeError(`\`${text}\` is neither a range of addresses nor a host`);
    return target;
  });
}

function send(
  url: URL,
  addresses: string[],
  signal: AbortSignal,
  options: GuardedOptions,
): Promise<GuardedResponse> {
  const body = typeof options.body === "string" ? Buffer.from(options.body) : options.body;
  const settings: RequestOptions = {
    method: options.method ?? "GET",
    signal,
    lookup: pinTo(addresses),
    headers: {
      ...options.headers,
      "user-agent": USER_AGENT,
      "accept-encoding": "identity",
      connection: "close",
      ...(body ? { "content-length": String(body.length) } : {}),
    },
  };
  return new Promise((resolve, reject) => {
    const onResponse = (response: IncomingMessage) =>
      void readBody(response, options).then((bytes) => {
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, headers, body: bytes });
      }, reject);
    const request =
      url.protocol === "https:"
        ? httpsRequest(
            url,
            // The environment can turn the check of certificates off by default.
            { ...settings, agent: new HttpsAgent(), rejectUnauthorized: true, ca: options.ca },
            onResponse,
          )
        : httpRequest(url, { ...settings, agent: new HttpAgent() }, onResponse);
    request.on("error", reject);
    request.on("close", () => reject(new Error("the connection was closed")));
    // A switch of protocols is not a response.
    request.on("upgrade", (_response, socket) => void socket.destroy());
    request.end(body);
  });
}

/** Stands in for the second lookup that a connection would make. */
function pinTo(addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_host, { all }, callback) => {
    const [first] = found;
    if (all) callback(null, found);
    else if (first) callback(null, first.address, first.family);
  };
}

async function readBody(
  response: IncomingMessage,
  { maxBytes, isCut = false }: GuardedOptions,
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the response and its connection.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= maxBytes) continue;
    if (isCut) break;
    throw new OutboundError("too-large", `the response has more than ${maxBytes} bytes`);
  }
  return new Uint8Array(Buffer.concat(chunks).subarray(0, maxBytes));
}

/** A lookup cannot always be cancelled. */
async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = deferred<never>();
  const onAbort = () => reject(new Error("aborted"));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Only the code: the text would name the address. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return "unknown error";
  return "code" in error && typeof error.code === "string" ? error.code : "no response";
}
