import { IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { ApiError } from "@keyhearth/engine/errors";
import { siteOf } from "@keyhearth/outbound/counted-addresses";
import { PROBES } from "./routes.ts";

/** How many requests are worked on at once, and how many of these in plain order, whether or not their bodies are here. */
type Places = { atOnce: number; inOrder: number };

/** Without the place in plain order, honest bodies that come slowly would wait for everybody else. */
const NEWCOMERS: Places = { atOnce: 3, inOrder: 1 };
/** Beside the newcomers. A probe has no body. */
const PROBE_PLACES: Places = { atOnce: 1, inOrder: 0 };

/** A request that waits for its client loses its turn after this time. */
const CLIENT_MS = 10;

/**
 * One that takes longer waits for the database or the signer, where it has other bounds. Logins of unknown keys take
 * the embedded database ten milliseconds each, so with a shorter turn all that came would be in its queue.
 */
const LONGEST_MS = 100;

const MAX_REMEMBERED = 50_000;

/** `begin` works on the request, or goes on with it. */
type Exchange = {
  site: string;
  request: IncomingMessage;
  response: ServerResponse;
  begin(): void;
  /** Whether its body was seen to be here, and has its place in line from then on. */
  isHere: boolean;
};

/** Requests that lost their turn to a slow body, with how to get another one. */
const slow = new WeakMap<IncomingMessage, () => Promise<void>>();

/** How requests that have a turn end it. */
const working = new WeakMap<IncomingMessage, () => void>();

/** Once its body is here, a request of a newcomer that lost its turn waits for another one. */
export async function turnAgain(request: unknown): Promise<void> {
  if (request instanceof IncomingMessage) await slow.get(request)?.();
}

/**
 * Ends the turn of a request, if it has one. Either a registered credential is known to have made its stamp: what follows is
 * bounded for its organization, and after a restart, clients that the service does not know yet are served as fast as others.
 * Or it is about to wait for a pace or for somebody else, such as a provider of captchas: meanwhile it takes nothing here.
 */
export function endOfTurn(request: unknown): (() => void) | undefined {
  return request instanceof IncomingMessage ? working.get(request) : undefined;
}

/**
 * Has the requests of newcomers take turns, address by address, a few at a time. A client whose request was
 * accepted lately waits for none of them, at the same address and with the same credential, until one of its requests is not.
 * So strangers, at however many addresses, leave the service to those who use it. Requests whose bodies are here go first
 * to all places but one: a thousand addresses whose bodies stalled kept everybody else waiting for seconds. A connection
 * sends nothing more while its request waits. Probes wait for other probes alone.
 */
export function newcomersInTurn(
  listener: RequestListener,
  addressOf: (request: IncomingMessage) => string,
): RequestListener {
  const known = createKnown();
  const turns = createTurns(NEWCOMERS);
  const probes = createTurns(PROBE_PLACES);
  return (request, response) => {
    const site = siteOf(addressOf(request));
    const begin = () => listener(request, response);
    const exchange = { site, request, response, begin, isHere: false };
    if (PROBES.includes(request.url ?? "")) return probes.take(exchange);
    const credential = credentialOf(request);
    const name = credential === null ? null : `${site} ${credential}`;
    if (name === null) return turns.take(exchange);
    response.once("close", () => {
      // A request that was broken off has this status too.
      if (response.headersSent && response.statusCode === 200) known.add(name);
      else known.delete(name);
    });
    if (known.has(name)) begin();
    else turns.take(exchange);
  };
}

/** As the stamp or the session says, which nobody has verified yet. Null without one, and for what needs none. */
function credentialOf({ method, url, headers }: IncomingMessage): string | null {
  if (method !== "POST" || !/^\/public\/v1\/(submit|query)\//.test(url ?? "")) return null;
  const { "x-stamp": stamp, "x-stamp-webauthn": webauthn, "x-session": session } = headers;
  if (typeof stamp === "string") return namedIn(Buffer.from(stamp, "base64url").toString());
  if (typeof webauthn === "string") return namedIn(webauthn);
  return typeof session === "string"
    ? Buffer.from(session.slice(0, LONGEST_NAME)).toString()
    : null;
}

const LONGEST_NAME = 300;
const NAMED = /"(publicKey|credentialId)"\s*:\s*"([^"\\]{1,300})"/;

/** A key in hex is one key in any case. The name is a copy: a piece of the stamp would keep the whole of it. */
function namedIn(stamp: string): string | null {
  const [, name, value] = NAMED.exec(stamp) ?? [];
  if (value === undefined) return null;
  return Buffer.from(name === "publicKey" ? value.toLowerCase() : value).toString();
}

/** The ones that were quiet longest are forgotten first. */
function createKnown() {
  const names = new Set<string>();
  return {
    has: (name: string) => names.has(name),
    delete: (name: string) => void names.delete(name),
    add(name: string) {
      names.delete(name);
      names.add(name);
      if (names.size <= MAX_REMEMBERED) return;
      for (const quietest of names) return void names.delete(quietest);
    },
  };
}

function createTurns({ atOnce: mostAtOnce, inOrder: mostInOrder }: Places) {
  /** What waits of each site, in the order of their turns. */
  const lines = new Map<string, Set<Exchange>>();
  let atOnce = 0;
  let inOrder = 0;
  let isPlanned = false;

  function work(exchange: Exchange, isInOrder: boolean) {
    const { request, response, begin } = exchange;
    atOnce += 1;
    if (isInOrder) inOrder += 1;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      atOnce -= 1;
      if (isInOrder) inOrder -= 1;
      planNext();
    };
    let timer = setTimeout(() => {
      if (!request.complete) slow.set(request, () => again(exchange));
      if (!request.complete || response.headersSent) end();
      else timer = setTimeout(end, LONGEST_MS - CLIENT_MS);
    }, CLIENT_MS);
    response.once("close", end);
    working.set(request, end);
    begin();
  }

  function again(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    slow.delete(request);
    return new Promise((resolve, reject) => {
      response.once("close", () => reject(brokenOff()));
      if (response.closed) reject(brokenOff());
      else take({ ...exchange, begin: resolve, isHere: true });
    });
  }

  /** Between two of them, all that has arrived meanwhile is read, and what others wait for goes on. */
  function planNext() {
    if (isPlanned || lines.size === 0 || atOnce >= mostAtOnce) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      const isInOrder = inOrder < mostInOrder;
      const next = (isInOrder ? undefined : takeFirstHere()) ?? takeFirst();
      if (next) work(next, isInOrder);
      planNext();
    });
  }

  /**
   * The first whose body is here, site by site. One whose body came while it waited goes behind all that wait: its head kept
   * the place of a request that was not there yet, and many of them would have theirs before everybody who came meanwhile.
   */
  function takeFirstHere(): Exchange | undefined {
    for (const [site, line] of lines) {
      let hasCome = false;
      for (const each of line) {
        if (!each.request.complete) continue;
        if (each.isHere) return taken(each, line);
        each.isHere = true;
        hasCome = true;
      }
      // The loop comes to it again at the end.
      if (hasCome) moveToEnd(site, line);
    }
    return undefined;
  }

  function takeFirst(): Exchange | undefined {
    for (const line of lines.values()) for (const first of line) return taken(first, line);
    return undefined;
  }

  /** Its next one comes after one of each other site. */
  function taken(exchange: Exchange, line: Set<Exchange>): Exchange {
    const { site } = exchange;
    line.delete(exchange);
    if (line.size > 0) moveToEnd(site, line);
    else lines.delete(site);
    return exchange;
  }

  function moveToEnd(site: string, line: Set<Exchange>) {
    lines.delete(site);
    lines.set(site, line);
  }

  function forget(exchange: Exchange) {
    const { site } = exchange;
    const line = lines.get(site);
    if (line?.delete(exchange) && line.size === 0) lines.delete(site);
  }

  function take(exchange: Exchange) {
    const { site, response } = exchange;
    const line = lines.get(site);
    if (line) line.add(exchange);
    else lines.set(site, new Set([exchange]));
    response.once("close", () => forget(exchange));
    // Node.js gives the head before it has parsed what came with it.
    setImmediate(() => {
      exchange.isHere ||= exchange.request.complete;
    });
    planNext();
  }

  return { take };
}

function brokenOff(): ApiError {
  return new ApiError(
    "INVALID_ARGUMENT",
    "BAD_REQUEST_BODY",
    "bad request body: the connection ended before the request had its turn",
  );
}
