import { createHash } from "node:crypto";
import { initOtp, verifyOtp } from "../calls/generated/calls.ts";
import { KeyhearthError, RateLimited } from "../errors/errors.ts";
import { type ExpressHandler, type ExpressProxyOptions, expressHandler } from "./express.ts";
import { bodyOf, type Incoming } from "./forward.ts";
import { type Body, needed, oneOf, optional, readBody, type Shape, text } from "./login-body.ts";
import {
  checkLoginOptions,
  type LoginAttempt,
  type LoginHandlerOptions,
  type LoginSettings,
} from "./login-options.ts";
import { accountOfContact, accountOfIdToken, accountOfKey, claimsOf } from "./login-proofs.ts";
import { assertNew, readSignUp, signUp, signUpShape } from "./login-sign-up.ts";
import { type ProxyAnswer, ProxyRefusal } from "./refusal.ts";
import { Counts, countOrRefuse, NETWORKS_OF_A_SITE, placeOf } from "./visitors.ts";
import { type WebProxyOptions, webHandler } from "./web.ts";

// The part of logins that a page must not do: it takes the API key of the parent organization. The calls are those of the
// service's login proxy, so pages speak with either (decision 27).

type Attempt = Pick<LoginAttempt, "clientAddress" | "header">;

type Call = {
  shape: Shape;
  answer(settings: LoginSettings, body: Body, attempt: Attempt): Promise<object>;
};

const MOST_BYTES = 64 * 1024;
const TIMEOUT_MS = 30_000;

function callsOf(): Record<string, Call> {
  return {
    wallet_kit_config: { shape: {}, answer: async (settings) => configuration(settings) },
    wallet_kit_client_params: { shape: {}, answer: async () => ({}) },
    otp_init_v2: {
      shape: {
        otpType: needed(oneOf("OTP_TYPE_EMAIL", "OTP_TYPE_SMS")),
        contact: needed(text(254)),
      },
      answer: sendCode,
    },
    otp_verify_v2: {
      shape: { otpId: needed(text(36)), encryptedOtpBundle: needed(text(8192)) },
      async answer({ connection }, { otpId, encryptedOtpBundle }) {
        const given = { otpId: String(otpId), encryptedOtpBundle: String(encryptedOtpBundle) };
        const { verificationToken } = await verifyOtp(connection, given);
        return { verificationToken };
      },
    },
    account: {
      shape: {
        filterType: needed(oneOf("EMAIL", "PHONE_NUMBER", "OIDC_TOKEN", "PUBLIC_KEY")),
        filterValue: needed(text(16_384)),
        verificationToken: optional(text(4096)),
      },
      async answer(settings, body) {
        const organizationId = await findAccount(settings, body);
        return organizationId === undefined ? {} : { organizationId };
      },
    },
    signup_v2: {
      shape: signUpShape(),
      async answer(settings, body, attempt) {
        const checked = readSignUp(settings, body);
        const { given, isProven, contact } = checked;
        // Each look-up is a request of the app's own key, so they come after what refuses strangers.
        await assertAllowed(settings, { ...attempt, call: "sign-up", contact: contact?.contact });
        if (!isProven) countUnproven(settings, attempt.clientAddress);
        await assertNew(settings, checked);
        return signUp(settings, given);
      },
    },
  };
}

function configuration(settings: LoginSettings) {
  const { connection, methods, oauthClientIds, oauthRedirectUrl } = settings;
  const { otpLength = 9, otpAlphanumeric = true, sessionExpirationSeconds = 900 } = settings;
  return {
    enabledProviders: [...methods, ...Object.keys(oauthClientIds)],
    sessionExpirationSeconds: String(sessionExpirationSeconds),
    organizationId: connection.organizationId,
    oauthClientIds,
    ...(oauthRedirectUrl === undefined ? {} : { oauthRedirectUrl }),
    otpAlphanumeric,
    otpLength: String(otpLength),
  };
}

/** Whether somebody has the contact is not looked up: everybody gets a code, and the same answer. */
async function sendCode(settings: LoginSettings, body: Body, attempt: Attempt) {
  const { connection, methods, appName, otpLength, otpAlphanumeric } = settings;
  const [otpType, contact] = [body.otpType as "OTP_TYPE_EMAIL", String(body.contact)];
  const method = otpType === "OTP_TYPE_EMAIL" ? "email" : "sms";
  if (!methods.includes(method)) throw notOffered("otpType", method);
  await assertAllowed(settings, { ...attempt, call: "code", contact });
  const { clientAddress } = attempt;
  const place = clientAddress === undefined ? undefined : placeOf(clientAddress);
  if (place) countOrRefuse([[countsOf(connection).codesOfSite, place.site]], TOO_MANY_CODES);
  const { otpId, otpEncryptionTargetBundle } = await initOtp(connection, {
    otpType,
    contact,
    appName,
    ...(otpLength === undefined ? {} : { otpLength }),
    ...(otpAlphanumeric === undefined ? {} : { alphanumeric: otpAlphanumeric }),
    // Codes of one visitor count together. The service need not know who that is.
    ...(place === undefined ? {} : { userIdentifier: digestOf(place.network) }),
  });
  return { otpId, otpEncryptionTargetBundle };
}

function digestOf(network: string): string {
  return createHash("sha256").update(`keyhearth logins\n${network}`).digest("hex");
}

/** Contacts and claims say who somebody is, so they are looked up only for their owner. */
async function findAccount(settings: LoginSettings, body: Body): Promise<string | undefined> {
  const [filterType, filterValue] = [String(body.filterType), String(body.filterValue)];
  if (filterType === "OIDC_TOKEN") return accountOfIdToken(settings, filterValue, "filterValue");
  if (filterType === "PUBLIC_KEY") {
    if (!settings.methods.includes("wallet")) throw notOffered("filterType", "wallet");
    return accountOfKey(settings, filterValue.slice(0, 200));
  }
  if (body.verificationToken === undefined) {
    throw new ProxyRefusal(
      "FIELD_INVALID",
      "`verificationToken` is missing: whether a contact has an account is told to whoever has read a code there",
      "verificationToken",
    );
  }
  const claims = claimsOf(settings, body.verificationToken);
  const isOf =
    claims.contact === filterValue &&
    (filterType === "EMAIL") === (claims.verification_type === "OTP_TYPE_EMAIL");
  if (isOf) return accountOfContact(settings, claims);
  throw new ProxyRefusal(
    "VERIFICATION_TOKEN_INVALID",
    "`verificationToken` proves another contact than `filterValue`",
    "verificationToken",
  );
}

function notOffered(field: string, method: string) {
  return new ProxyRefusal(
    "FEATURE_DISABLED",
    `the handler does not list \`${method}\` in its \`methods\``,
    field,
  );
}

async function assertAllowed({ allow }: LoginSettings, attempt: LoginAttempt) {
  // A text such as "no" is not a yes.
  if (allow === undefined || (await allow(attempt)) === true) return;
  throw new ProxyRefusal("REQUEST_NOT_AUTHORIZED", "the app did not allow this; try again later");
}

const HOUR_MS = 3_600_000;

/** Sign-ups that prove no contact and no social login. */
const UNPROVEN = { most: 20, withinMs: HOUR_MS };

/** The service counts the codes of a network. Those of all networks of a site count here, as many times as much. */
const CODES = { most: 3, withinMs: 180_000 };

const TOO_MANY_CODES = "too many codes were asked for from this site; try again in three minutes";
const TOO_MANY_SIGN_UPS =
  "too many accounts were made from this network, or somebody tried to; try again in an hour, or sign up with a code";

type CountsOfLogins = Record<"unproven" | "unprovenOfSite" | "codesOfSite", Counts>;

const countsOfLogins = /* @__PURE__ */ new WeakMap<object, CountsOfLogins>();

function countsOf(connection: object): CountsOfLogins {
  const counts = countsOfLogins.get(connection) ?? {
    unproven: new Counts(UNPROVEN),
    unprovenOfSite: new Counts(ofSite(UNPROVEN)),
    codesOfSite: new Counts(ofSite(CODES)),
  };
  countsOfLogins.set(connection, counts);
  return counts;
}

function ofSite(limit: { most: number; withinMs: number }) {
  return { ...limit, most: limit.most * NETWORKS_OF_A_SITE };
}

/** Anyone can make any number of keys, and each account is stored. Without addresses, `allow` is what limits this. */
function countUnproven({ connection }: LoginSettings, address: string | undefined) {
  if (address === undefined) return;
  const { unproven, unprovenOfSite } = countsOf(connection);
  const { network, site } = placeOf(address);
  countOrRefuse(
    [
      [unproven, network],
      [unprovenOfSite, site],
    ],
    TOO_MANY_SIGN_UPS,
  );
}

/** Answers the calls of logins, for what any framework received. Throws `InvalidField` for wrong options. */
function createLoginHandler(
  options: LoginHandlerOptions,
): (incoming: Incoming) => Promise<ProxyAnswer> {
  const settings = checkLoginOptions(options);
  const calls = callsOf();
  const { onError = (error: unknown) => console.error(error) } = settings;
  return async (incoming) => {
    const origin = incoming.header("Origin");
    const isOurs = origin !== undefined && settings.origins.includes(origin);
    const cors = isOurs ? { "Access-Control-Allow-Origin": origin } : undefined;
    try {
      if (!isOurs) throw foreign(origin);
      const answer =
        incoming.method === "OPTIONS" ? preflight() : await answerCall(settings, calls, incoming);
      return withHeaders(answer, cors);
    } catch (error) {
      return withHeaders(refusalOf(error, onError), cors);
    }
  };
}

async function answerCall(
  settings: LoginSettings,
  calls: Record<string, Call>,
  incoming: Incoming,
): Promise<ProxyAnswer> {
  const [pathname = ""] = incoming.path.split("?");
  const name = pathname.slice(pathname.lastIndexOf("/") + 1);
  const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
  if (!call) {
    const known = Object.keys(calls).join(", ");
    throw new ProxyRefusal("ROUTE_NOT_FOUND", `there is no such call; there are ${known}`);
  }
  if (incoming.method !== "POST") {
    throw new ProxyRefusal("METHOD_NOT_ALLOWED", "logins take POST with a JSON body");
  }
  // A browser asks before it sends this to another origin, and forms cannot send it.
  if (!/^application\/json\b/i.test(incoming.header("Content-Type") ?? "")) {
    throw new ProxyRefusal("BAD_REQUEST_BODY", "send JSON, with `Content-Type: application/json`");
  }
  assertOrganization(settings, incoming.header("X-Auth-Proxy-Config-ID"));
  const bytes = await bodyOf(incoming, { maxBodyBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS });
  const body = readBody(bytes, call.shape);
  const { clientAddress, header } = incoming;
  const answer = await call.answer(settings, body, { clientAddress, header });
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return { status: 200, headers, body: new TextEncoder().encode(JSON.stringify(answer)) };
}

function assertOrganization({ connection }: LoginSettings, given: string | undefined) {
  if (given === connection.organizationId) return;
  throw new ProxyRefusal(
    "FIELD_INVALID",
    "`X-Auth-Proxy-Config-ID` must be the id of the organization that this handler is for: the page and the server name different ones",
    "X-Auth-Proxy-Config-ID",
  );
}

function foreign(origin: string | undefined) {
  const what = origin === undefined ? "`Origin` is missing" : "`Origin` is of another page";
  return new ProxyRefusal(
    "REQUEST_NOT_AUTHORIZED",
    `${what}: this handler answers the pages that its \`origins\` list`,
  );
}

function preflight(): ProxyAnswer {
  const headers = {
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": "Content-Type, X-Auth-Proxy-Config-ID, X-Captcha-Token",
    "Access-Control-Max-Age": "600",
  };
  return { status: 204, headers, body: new Uint8Array() };
}

function withHeaders(
  { status, headers, body }: ProxyAnswer,
  added: Record<string, string> = {},
): ProxyAnswer {
  return { status, headers: { ...headers, Vary: "Origin", ...added }, body };
}

/** The codes of the service that are about what the visitor gave. All others are about this server and its key. */
const visitorsCodes = [3, 6, 8];

function refusalOf(error: unknown, onError: (error: unknown) => void): ProxyAnswer {
  if (error instanceof ProxyRefusal) return error.answer;
  if (error instanceof KeyhearthError && error.serviceMessage !== undefined) {
    const { grpcCode, httpStatus, serviceMessage, code } = error;
    const retryAfterMs = error instanceof RateLimited ? error.retryAfterMs : undefined;
    if (grpcCode !== undefined && httpStatus !== undefined && visitorsCodes.includes(grpcCode)) {
      const details = [{ "@type": "keyhearth.dev/ErrorDetail", code }];
      const text = JSON.stringify({ code: grpcCode, message: serviceMessage, details });
      const headers: Record<string, string> = {
        "Content-Type": "application/json",
        "Cache-Control": "no-store",
      };
      if (retryAfterMs !== undefined)
        headers["Retry-After"] = String(Math.ceil(retryAfterMs / 1000));
      return { status: httpStatus, headers, body: new TextEncoder().encode(text) };
    }
  }
  onError(error);
  return new ProxyRefusal(
    "LOGIN_HANDLER_FAILED",
    "this server could not ask the service; its log says why",
  ).answer;
}

/**
 * The backend's part of logins, for every framework that has `Request` and `Response`. The page names its address as `url` of
 * `Auth` or `LoginProxy`.
 */
export function loginHandler(
  options: LoginHandlerOptions & Pick<WebProxyOptions, "clientAddress">,
): (request: Request) => Promise<Response> {
  return webHandler(createLoginHandler(options), options);
}

/**
 * The same as a route handler of Next.js. In `app/api/login/[call]/route.ts`: `export const POST = nextLoginHandler({ … })`,
 * and also as `OPTIONS` if your pages have another origin.
 */
export function nextLoginHandler(
  options: LoginHandlerOptions & Pick<WebProxyOptions, "clientAddress">,
): (request: Request) => Promise<Response> {
  const handle = loginHandler(options);
  return (request) => handle(request);
}

/** The same for Hono: `app.all("/api/login/:call", honoLoginHandler({ … }))`. */
export function honoLoginHandler(
  options: LoginHandlerOptions & Pick<WebProxyOptions, "clientAddress">,
): (context: { req: { raw: Request } }) => Promise<Response> {
  const handle = loginHandler(options);
  return ({ req }) => handle(req.raw);
}

/** The same as a middleware of Express: `app.use("/api/login", expressLoginHandler({ … }))`, before `express.json()`. */
export function expressLoginHandler(
  options: LoginHandlerOptions & Pick<ExpressProxyOptions, "clientAddress">,
): ExpressHandler {
  return expressHandler(createLoginHandler(options), options);
}
