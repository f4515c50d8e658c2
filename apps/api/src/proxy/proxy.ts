import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import { ApiError } from "@keyhearth/engine/errors";
import { parseFields } from "@keyhearth/engine/fields/parse";
import { parseObject } from "@keyhearth/engine/submission/envelope";
import { networkOf, siteOf } from "@keyhearth/outbound/counted-addresses";
import type { Context } from "hono";
import { type Window, windowOfProxy, windowOfProxySite } from "../config/rate-limits.ts";
import { TryLater } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { createPlaces } from "../host/places.ts";
import {
  type ClientAddress,
  createAddressLimit,
  createRateLimit,
  NETWORKS_OF_A_SITE,
  type NewRateLimit,
  type RateLimit,
  takeSaying,
} from "../host/rate-limit.ts";
import { cors, errorResponse, json } from "../http/answer.ts";
import { createHeldBytes, type HeldBytes } from "../http/held-bytes.ts";
import { readJsonBody, readSmall } from "../http/json-body.ts";
import { endOfTurn } from "../http/newcomers.ts";
import { methodNotAllowed, routeNotFound } from "../http/routes.ts";
import { partOf } from "../part-of.ts";
import { decodeBody, type Env, headerOf, socketAddressOf } from "../wire/request.ts";
import { calls } from "./calls.ts";
import type { Captcha } from "./captcha.ts";
import {
  assertOrigin,
  type Configuration,
  configurationIdOf,
  findConfiguration,
} from "./configuration.ts";
import type { Call, Tools } from "./define.ts";
import type { ProxyKeys } from "./key.ts";
import { createSubmitFor } from "./submit-for.ts";
import { createTurns } from "./turns.ts";

/** The login proxy: pages without a backend log people in, for organizations that switched it on (decision 26). */
export type Proxy = (c: Context<Env>) => Promise<Response>;

/** Calls under way. A stranger's take no more than a part of what the organization's own requests may have. */
export const PROXY_PLACES = { ofSite: 16, ofConfiguration: 64, inTotal: 128 };

/** Calls that take more than a look: codes, sign-ups and logins. */
export const PROXY_CALLS = { ofAddress: 60, withinSeconds: 60 };

/**
 * Sign-ups that prove no contact and no social login: anyone can make any number of keys, and each account stays. Of
 * one address within an hour.
 */
export const PROXY_SIGN_UPS = { ofAddress: 20, withinSeconds: 3600 };

/**
 * Codes of providers that only speak OAuth 2.0, of one address, which the provider refused. The signer asks a provider no more
 * for a minute if an organization had too many of them, so few addresses must not send as many.
 */
export const PROXY_WRONG_CODES = { ofAddress: 10, withinSeconds: 600 };

/** The networks of an IPv6 site may send so many times as many of these. */
export const NETWORKS_OF_WRONG_CODES = 2;

/** What waits for a provider, which may be slow, or for another sign-up, takes half of each number of places. */
const HALF = 2;

/** ID tokens wait for their issuers apart from that. All of these have half of each number too, and one of them a quarter. */
const QUARTER = 4;

const WAITING: [number, string] = [HALF, "waiting "];

/** Sign-ups with a passkey, and tokens, take a few thousand bytes. */
const MAX_BYTES = 64 * 1024;

type ProxyOptions = {
  host: Host;
  keys: ProxyKeys;
  captcha: Captcha | null;
  clientAddress: ClientAddress;
  newRateLimit?: NewRateLimit;
  held?: HeldBytes;
  /** Null if requests are not limited. */
  family: { email: Window | null; sms: Window | null } | null;
  places?: typeof PROXY_PLACES;
  perAddress?: typeof PROXY_CALLS;
  signUps?: typeof PROXY_SIGN_UPS;
  wrongCodes?: typeof PROXY_WRONG_CODES;
};

const known = new Map(calls.map((call) => [call.name, call]));

export function createProxy(options: ProxyOptions): Proxy {
  const { host, keys, captcha, clientAddress, newRateLimit = createRateLimit, family } = options;
  const { places: inAll = PROXY_PLACES, perAddress = PROXY_CALLS } = options;
  const { held = createHeldBytes() } = options;
  const { signUps = PROXY_SIGN_UPS, wrongCodes = PROXY_WRONG_CODES } = options;
  const most = partOf(inAll, host.workers);
  const places = createPlaces(tooMany);
  const turns = createTurns();
  const submitFor = createSubmitFor(host, keys);
  const limitOf = (
    name: string,
    { ofAddress, withinSeconds }: typeof PROXY_CALLS,
    networksOfSite = NETWORKS_OF_A_SITE,
  ) =>
    family &&
    createAddressLimit(
      { name, perSecond: ofAddress / withinSeconds, burst: ofAddress, networksOfSite },
      newRateLimit,
    );
  const callsOfAddress = limitOf("proxy-address", perAddress);
  const signUpsOfAddress = limitOf("proxy-sign-ups", signUps);
  const wrongCodesOfAddress = limitOf("proxy-wrong-codes", wrongCodes, NETWORKS_OF_WRONG_CODES);
  const codes = {
    email: codeLimit("email", family?.email ?? null, newRateLimit),
    sms: codeLimit("sms", family?.sms ?? null, newRateLimit),
  };

  /** Each bound, or a part of each for those that wait. */
  function boundsOf(address: string, organizationId: string, [part, what]: [number, string]) {
    return [
      {
        key: `${what}site ${siteOf(address)}`,
        most: most.ofSite / part,
        whose: "from your address",
      },
      {
        key: `${what}of ${organizationId}`,
        most: most.ofConfiguration / part,
        whose: "of this organization",
      },
      { key: `${what}all`, most: most.inTotal / part, whose: "from everybody" },
    ];
  }

  const placesOf = (address: string, organizationId: string, part: [number, string] = [1, ""]) =>
    places.take(boundsOf(address, organizationId, part));

  /** Charged only for what was refused: people who log in come with a right code. */
  async function askCounted<T>(address: string, organizationId: string, ask: () => Promise<T>) {
    const limit = wrongCodesOfAddress;
    if (limit) {
      const refusal = `too many codes that their provider refused: at most ${wrongCodes.ofAddress} within ${wrongCodes.withinSeconds} s from your address`;
      takeSaying(roomOf(limit), address, host.now(), refusal);
    }
    const leave = placesOf(address, organizationId, WAITING);
    try {
      return await ask();
    } catch (error) {
      const isWrong = error instanceof ApiError && error.reason === "OAUTH2_EXCHANGE_FAILED";
      if (isWrong && limit?.hasRoom(address, host.now())) limit.take(address, host.now());
      throw error;
    } finally {
      leave();
    }
  }

  function askUnproven(address: string, how: "check" | "take") {
    if (!signUpsOfAddress) return;
    const limit = how === "take" ? signUpsOfAddress : roomOf(signUpsOfAddress);
    const refusal = `too many sign-ups without a proven contact: at most ${signUps.ofAddress} within ${signUps.withinSeconds} s from your address`;
    takeSaying(limit, address, host.now(), refusal);
  }

  async function answer(c: Context<Env>, call: Call, configuration: Configuration) {
    const address = clientAddress(socketAddressOf(c), headerOf(c, "x-forwarded-for"));
    if (callsOfAddress) {
      takeSaying(
        callsOfAddress,
        address,
        host.now(),
        `too many calls of the login proxy: at most ${perAddress.ofAddress} within ${perAddress.withinSeconds} s from your address`,
      );
    }
    const body = await bodyOf(c, call, { address, held });
    const { organizationId, settings } = configuration;
    c.get("asked").organizationId = organizationId;
    const endTurn = () => endOfTurn(c.env?.incoming)?.();
    const tools: Tools = {
      host,
      configuration,
      submitFor,
      captcha,
      visitor: visitorOf(address),
      sendCounted: (channel, send) =>
        codes[channel]({ organizationId, site: siteOf(address) }, host.now, send),
      unproven: {
        check: () => askUnproven(address, "check"),
        count: () => askUnproven(address, "take"),
      },
      turns,
      takeWaiting() {
        endTurn();
        return placesOf(address, organizationId, WAITING);
      },
      takeIssuer(issuer) {
        endTurn();
        const ofOne = boundsOf(address, organizationId, [QUARTER, `issuer ${issuer} `]);
        return places.take([...boundsOf(address, organizationId, [HALF, "issuers "]), ...ofOne]);
      },
      askCounted(ask) {
        endTurn();
        return askCounted(address, organizationId, ask);
      },
    };
    const leave = placesOf(address, organizationId);
    try {
      if (settings.captcha && call.needsCaptcha(body)) {
        if (!captcha) throw noCaptcha();
        // The provider may take seconds.
        endTurn();
        await captcha.check(headerOf(c, "x-captcha-token"), address);
      }
      return json(c, 200, await call.answer(tools, body));
    } finally {
      leave();
    }
  }

  return async (c) => {
    const [, , , name = "", ...rest] = c.req.path.split("/");
    const call = rest.length === 0 ? known.get(name) : undefined;
    const isKey = name === "public_key" && rest.length === 0;
    const origin = headerOf(c, "origin");
    // A page may read that there is no such call or configuration. That says nothing about an organization.
    let allowed: string | null = "*";
    try {
      if (!call && !isKey) throw routeNotFound(c.req.path);
      if (c.req.method === "OPTIONS") return preflightOf(c, origin);
      if (c.req.method !== "POST") {
        throw methodNotAllowed(c, "POST, OPTIONS", `\`${c.req.path}\` takes POST`);
      }
      const organizationId = configurationIdOf(c);
      if (!call) {
        return restrict(json(c, 200, { publicKey: keys.publicKeyOf(organizationId) }), null);
      }
      const configuration = await findConfiguration(host, keys, organizationId);
      allowed = null;
      assertOrigin(configuration, origin);
      allowed = origin ?? null;
      return restrict(await answer(c, call, configuration), allowed);
    } catch (error) {
      return restrict(errorResponse(c, host.log, error), allowed);
    }
  };
}

/** Only looks whether one may be taken, or as many. */
function roomOf(limit: RateLimit, count = 1): Pick<RateLimit, "take"> {
  return {
    take(key, nowMs) {
      limit.check(key, nowMs, count);
      return limit.headers(key, nowMs);
    },
  };
}

/** Only the pages of the configuration may read an answer. */
function restrict(response: Response, origin: string | null): Response {
  const { headers } = response;
  headers.append("Vary", "Origin");
  if (origin === null) headers.delete("Access-Control-Allow-Origin");
  else headers.set("Access-Control-Allow-Origin", origin);
  return response;
}

/**
 * A preflight has no id of a configuration, so it cannot be checked yet. The call itself is, before anything is done,
 * and a page that is not in the configuration reads no answer.
 */
function preflightOf(c: Context<Env>, origin: string | undefined): Response {
  return c.body(null, 204, {
    ...cors,
    "Access-Control-Allow-Origin": origin ?? "null",
    Vary: "Origin",
    "Access-Control-Allow-Methods": "POST, OPTIONS",
    "Access-Control-Allow-Headers":
      "content-type, x-auth-proxy-config-id, x-captcha-token, x-client-version, x-request-id",
    "Access-Control-Max-Age": "7200",
  });
}

/** Clients send some calls without any body. */
async function bodyOf(
  c: Context<Env>,
  { body: schema }: Call,
  { address, held }: { address: string; held: HeldBytes },
): Promise<unknown> {
  const reading = { address, held, maxBytes: MAX_BYTES };
  if (Object.keys(schema.shape).length > 0) return readJsonBody(c, schema, reading);
  const bytes = await readSmall(c, reading);
  return parseFields(schema, bytes.length === 0 ? {} : parseObject(decodeBody(bytes)), "");
}

/**
 * The addresses of a network count as one visitor, and those of a site together too. The activity shows digests, and not the
 * address.
 */
function visitorOf(address: string): string {
  return [networkOf(address), siteOf(address)].map(digestOf).join(".");
}

function digestOf(place: string): string {
  return encodeHex(sha256(encodeUtf8(`login proxy ${place}`))).slice(0, 32);
}

/**
 * Strangers get half of what the application may send, and those of one site a part of that, so that they cannot use up the
 * rest. What is refused, because the contact or the visitor had enough, takes nothing of it.
 */
function codeLimit(channel: string, family: Window | null, newRateLimit: NewRateLimit) {
  type Asker = { organizationId: string; site: string };
  if (family === null) return <T>(_by: Asker, _now: () => number, send: () => Promise<T>) => send();
  const ofSite = countSent(`proxy-${channel}-site`, windowOfProxySite(family), newRateLimit);
  const ofAll = countSent(`proxy-${channel}`, windowOfProxy(family), newRateLimit);
  return async <T>({ organizationId, site }: Asker, now: () => number, send: () => Promise<T>) => {
    // The smaller one comes first: what it refuses takes nothing from the other.
    const counts = [
      ofSite.of(`${organizationId} ${site}`, "from your address"),
      ofAll.of(organizationId, ""),
    ];
    for (const count of counts) count.check(now());
    for (const count of counts) count.begin();
    try {
      const sent = await send();
      for (const count of counts) count.take(now());
      return sent;
    } catch (error) {
      // Nobody knows whether it is sent.
      const isSent = !(error instanceof ApiError) || error.code === "UNAVAILABLE";
      if (isSent) for (const count of counts) count.take(now());
      throw error;
    } finally {
      for (const count of counts) count.end();
    }
  };
}

/** Counts what was sent, and what is about to be. */
function countSent(name: string, { most, withinMs }: Window, newRateLimit: NewRateLimit) {
  const limit = newRateLimit({ name, perSecond: (most * 1000) / withinMs, burst: most });
  const underWay = new Map<string, number>();
  const add = (key: string, number: number) => {
    const now = (underWay.get(key) ?? 0) + number;
    if (now > 0) underWay.set(key, now);
    else underWay.delete(key);
  };
  return {
    of(key: string, whose: string) {
      const refusal = `too many codes by this login proxy: at most ${most} within ${withinMs / 1000} s ${whose}`;
      return {
        check: (nowMs: number) =>
          takeSaying(roomOf(limit, (underWay.get(key) ?? 0) + 1), key, nowMs, refusal.trim()),
        begin: () => add(key, 1),
        end: () => add(key, -1),
        /** It is sent already. Another process may have taken the last one. */
        take: (nowMs: number) => limit.hasRoom(key, nowMs) && limit.take(key, nowMs),
      };
    },
  };
}

function noCaptcha(): TryLater {
  return new TryLater(
    "UNAVAILABLE",
    "CONFLICT",
    "the organization asks for a captcha, but the service has none: its operator sets KEYHEARTH_CAPTCHA_URL, KEYHEARTH_CAPTCHA_SECRET and KEYHEARTH_CAPTCHA_SITE_KEY",
    60,
  );
}

function tooMany(most: string): TryLater {
  const message = `too many calls of the login proxy: ${most}; try again in 1 s`;
  return new TryLater("RESOURCE_EXHAUSTED", "RATE_LIMITED", message, 1);
}
