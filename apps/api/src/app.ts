import type { Secret } from "@keyhearth/crypto/secret";
import { findActivity } from "@keyhearth/engine/activities/index";
import { maySend } from "@keyhearth/engine/declare/define";
import { ApiError } from "@keyhearth/engine/errors";
import { type Context, Hono } from "hono";
import type { Assistant } from "./assistant/assistant.ts";
import { readStamp } from "./callers/stamp.ts";
import { holdAnswer } from "./fairness/under-way.ts";
import type { FeedbackAnswers } from "./feedback/answers.ts";
import { type Feedback, hideFromOtherSites } from "./feedback/feedback.ts";
import type { Host } from "./host/host.ts";
import { createInFlight, type InFlight, MAX_IN_FLIGHT } from "./host/in-flight.ts";
import type { ClientAddress, RateLimit } from "./host/rate-limit.ts";
import { admitSignup, assertOpen, type Signup } from "./host/signup.ts";
import { cors, endpointAnswer, errorResponse, json, jsonText, preflight } from "./http/answer.ts";
import { hasBearer } from "./http/bearer.ts";
import { MAX_BODY_BYTES, MAX_QUERY_BYTES } from "./http/bodies.ts";
import { createHeldBytes, type HeldBytes } from "./http/held-bytes.ts";
import { createLargeSenders } from "./http/large-senders.ts";
import { isLocal } from "./http/local.ts";
import { endOfTurn } from "./http/newcomers.ts";
import { createObserver } from "./http/observe.ts";
import { createRefusalPace } from "./http/refusal-pace.ts";
import {
  isEndpoint,
  methodNotAllowed,
  onlyReadable,
  PROBES,
  routeNotFound,
} from "./http/routes.ts";
import { whenSent } from "./http/sent.ts";
import { readStampedBody } from "./http/stamped-body.ts";
import { namesOfMembers } from "./http/unknown-members.ts";
import { keySetOf } from "./jobs/webhooks/key-set.ts";
import type { Mcp } from "./library/mcp.ts";
import type { Mailbox } from "./mailbox/mailbox.ts";
import type { Counted } from "./observability/metrics.ts";
import { once } from "./once.ts";
import { partOfNumber } from "./part-of.ts";
import type { Proxy as LoginProxy } from "./proxy/proxy.ts";
import { findQuery } from "./queries/index.ts";
import { query } from "./query/query.ts";
import { countMessages } from "./store/outbox.ts";
import { countWaiting } from "./store/webhook-deliveries.ts";
import type { AdmitFounding } from "./submission/hint.ts";
import { submit } from "./submission/submit.ts";
import { organizationNamedIn } from "./wire/named-organization.ts";
import { type Env, headerOf, type Sender, socketAddressOf, stampOf } from "./wire/request.ts";

export type AppOptions = {
  host: Host;
  wellKnown: () => Promise<Record<string, unknown>>;
  openApi: (request: Request) => Promise<Response>;
  isReady: () => Promise<{
    ready: boolean;
    reasons: string[];
    parts?: { database: boolean; signer: boolean };
  }>;
  /** Of the disk of the data directory, for metrics. */
  diskFree?: () => Promise<number>;
  /** Only this machine may read metrics, or a request with this token. */
  metricsToken: Secret | null;
  /** What the other processes at this port have counted. */
  countedByOthers?: () => Promise<Counted[]>;
  rateLimit: RateLimit | null;
  /** For all that is not a POST to the API: pages, documents, preflights and mistakes. */
  otherRequestsLimit?: RateLimit | null;
  /** Who may create a top-level organization. */
  signup: Signup;
  clientAddress: ClientAddress;
  /** The memory of bodies whose sender is not known yet. What else reads bodies shares it. */
  held?: HeldBytes;
  /** Shows messages to a developer. */
  mailbox?: Mailbox | null;
  /** Takes what readers say about pages. */
  feedback?: Feedback | null;
  /** Serves the SDK and the command line to npm. */
  packages?: ((c: Context<Env>) => Promise<Response>) | null;
  /** Serves the pages that hold keys for the pages that embed them. */
  frames?: ((c: Context<Env>) => Promise<Response>) | null;
  /** Serves the dashboard. */
  dashboard?: ((c: Context<Env>) => Promise<Response>) | null;
  /** Shows them to the operator, if no other process can open the database. */
  feedbackAnswers?: FeedbackAnswers | null;
  /** Lets agents search and read the documentation. */
  mcp?: Mcp | null;
  /** Has a model answer readers' questions about the documentation. */
  assistant?: Assistant | null;
  /** Logs people in for pages without a backend. */
  proxy?: LoginProxy | null;
  /** Everything that is not the API: the site. */
  site: (c: Context<Env>) => Promise<Response> | Response;
};

/** The routes. The files in `http/` read requests and make responses. */
export function createApp(options: AppOptions): Hono<Env> {
  const { host } = options;
  const app = new Hono<Env>();
  app.use("*", createObserver(host));
  app.onError((error, c) => errorResponse(c, host.log, error));
  app.notFound((c) => errorResponse(c, host.log, routeNotFound(c.req.path)));
  app.use("*", (c, next) => limitOtherRequests(c, next, options));
  const inFlight = createInFlight(partOfNumber(MAX_IN_FLIGHT, host.workers));
  // A POST counts once its body is here.
  app.use("*", (c, next) =>
    c.req.method === "POST" ? next() : inFlight.run(addressOf(c, options), next),
  );

  routeApi(app, options, inFlight);
  routeOperation(app, options);
  const { mailbox, feedback, feedbackAnswers, packages, frames, dashboard } = options;
  const { mcp, assistant, proxy } = options;
  if (feedbackAnswers) {
    app.use("/feedback/answers", hideFromOtherSites);
    app.all("/feedback/answers", feedbackAnswers);
  }
  if (feedback) {
    app.use("/feedback", hideFromOtherSites);
    app.all("/feedback", feedback);
  }
  if (mcp) {
    app.use("/mcp", hideFromOtherSites);
    app.all("/mcp", mcp);
  }
  if (assistant) {
    app.use("/assistant", hideFromOtherSites);
    app.all("/assistant", assistant);
  }
  if (proxy) app.all("/proxy/v1/:name", proxy);
  if (mailbox) for (const path of ["/mailbox", "/mailbox/*"]) app.all(path, mailbox);
  if (frames) for (const path of ["/frames", "/frames/*"]) app.all(path, frames);
  if (dashboard) for (const path of ["/dashboard", "/dashboard/*"]) app.all(path, dashboard);
  if (packages) for (const path of ["/packages", "/packages/*"]) app.all(path, packages);
  app.all("*", (c) => options.site(c));
  return app;
}

const KEY_SET_PATH = "/public/v1/discovery/webhooks/jwks";

/** Submissions and queries. */
function routeApi(app: Hono<Env>, options: AppOptions, inFlight: InFlight) {
  const { host, held = createHeldBytes() } = options;
  const members = namesOfMembers();
  const refusals = {
    unknownKeys: createRefusalPace(
      "too many large requests with keys that are not known here; register the key first",
    ),
    tooFast: createRefusalPace(
      "too many large requests are refused because they come too fast; send the same bytes again in a few seconds",
    ),
  };
  const largeSenders = createLargeSenders();
  const admission = { host, ...refusals, largeSenders, held, inFlight, members };
  const keySet = once(async () => JSON.stringify(keySetOf(await host.webhookKey())));
  // Caches show this answer to everybody, so it says nothing of who asked: the limits and addresses of others come below.
  app.get(KEY_SET_PATH, async (c) =>
    jsonText(c, 200, await keySet(), { "Cache-Control": "public, max-age=3600" }),
  );
  app.use("/public/*", (c, next) => limitRate(c, next, options));
  app.options("/public/*", (c) => c.body(null, 204, preflight));
  app.all(KEY_SET_PATH, (c) => {
    throw onlyReadable(c, "GET, HEAD, OPTIONS");
  });
  app.post("/public/v1/submit/:name", async (c) => {
    const endpoint = c.req.param("name");
    const declaration = findActivity(endpoint);
    if (!declaration) throw routeNotFound(c.req.path);
    if (maySend("founder", declaration)) assertOpen(options.signup);
    const sent = readStamp(stampOf(c), maySend("attested key", declaration));
    const address = addressOf(c, options);
    const at = { ...admission, address };
    const { body, stamp, stampers } = await readStampedBody(c, sent, at, MAX_BODY_BYTES);
    const admit: AdmitFounding = (found) =>
      admitSignup(options.signup, { address, now: host.now }, found);
    const signup = { address, admit };
    const endTurn = endOfTurn(c.env?.incoming);
    const turn = { onKnown: endTurn, onWait: endTurn };
    const { organizationId, json } = await noteRefused(c, body, () =>
      inFlight.run(address, () =>
        submit(host, { endpoint, body, stamp, stampers, signup, ...turn, onSender: notes(c) }),
      ),
    );
    const held = await holdAnswer(host, organizationId, json);
    held?.releaseWhenSent((callBack) => whenSent(c, callBack));
    return endpointAnswer(c, json);
  });
  app.post("/public/v1/query/:name", async (c) => {
    const name = c.req.param("name");
    const declaration = findQuery(name);
    if (!declaration) throw routeNotFound(c.req.path);
    const { maxBodyBytes = MAX_QUERY_BYTES } = declaration;
    const at = { ...admission, address: addressOf(c, options) };
    const { body, stamp } = await readStampedBody(c, readStamp(stampOf(c)), at, maxBodyBytes);
    const session = headerOf(c, "x-session") ?? null;
    const sent = (callBack: () => void) => whenSent(c, callBack);
    const onKnown = endOfTurn(c.env?.incoming);
    const asked = { body, stamp, session, whenSent: sent, onKnown, onSender: notes(c) };
    const answer = await noteRefused(c, body, () =>
      inFlight.run(at.address, () => query(host, declaration, asked)),
    );
    return endpointAnswer(c, answer);
  });
  app.all("/public/*", (c) => {
    if (!isEndpoint(c.req.path)) throw routeNotFound(c.req.path);
    const allow = preflight["Access-Control-Allow-Methods"];
    throw methodNotAllowed(c, allow, "the API takes POST with a JSON body");
  });
}

/** The log says whose request it is once that is known. */
function notes(c: Context<Env>): (sender: Sender) => void {
  return (sender) => void Object.assign(c.get("asked"), sender);
}

/** And which organization a request names that was refused before. */
async function noteRefused<T>(
  c: Context<Env>,
  body: Uint8Array,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const asked = c.get("asked");
    const named = asked.organizationId ?? organizationNamedIn(body);
    if (named !== undefined) asked.organizationId = named;
    throw error;
  }
}

/** Endpoints for the people and programs that operate the service. */
function routeOperation(app: Hono<Env>, options: AppOptions) {
  const { host } = options;
  app.get("/openapi.json", async (c) => {
    const answer = await options.openApi(c.req.raw);
    for (const [name, value] of Object.entries(cors)) answer.headers.set(name, value);
    return answer;
  });
  const wellKnown = once(async () => JSON.stringify(await options.wellKnown()));
  app.get("/.well-known/keyhearth.json", async (c) => jsonText(c, 200, await wellKnown()));
  app.get("/healthz", (c) => json(c, 200, { status: "ok" }));
  app.get("/readyz", async (c) => {
    const { ready, reasons } = await options.isReady();
    if (!ready) c.header("Retry-After", "1");
    return json(c, ready ? 200 : 503, { status: ready ? "ready" : "not ready", reasons });
  });
  app.get("/metrics", async (c) => {
    const { metricsToken } = options;
    if (!isLocal(c) && !(metricsToken !== null && hasBearer(c, metricsToken.open()))) {
      throw new ApiError(
        "PERMISSION_DENIED",
        "REQUEST_NOT_AUTHORIZED",
        "only this machine, at localhost or 127.0.0.1 and without a proxy, may read metrics; others send KEYHEARTH_METRICS_TOKEN as a bearer token",
      );
    }
    host.metrics.signerQueueDepth(host.signer.depth());
    // Without the database, the other numbers are shown all the same.
    await countMessages(host.store).then(host.metrics.outbox, () => {});
    await countWaiting(host.store).then(host.metrics.webhooksWaiting, () => {});
    await options.diskFree?.().then(host.metrics.diskFree, () => {});
    const { ready, parts = { database: ready, signer: ready } } = await options.isReady();
    host.metrics.ready(parts);
    const { contentType, body } = await host.metrics.render(await options.countedByOthers?.());
    return c.body(body, 200, { "Content-Type": contentType });
  });
  for (const path of [
    "/openapi.json",
    "/.well-known/keyhearth.json",
    "/healthz",
    "/readyz",
    "/metrics",
  ]) {
    app.all(path, (c) => {
      throw onlyReadable(c);
    });
  }
}

/** Every answer of the API says what is left of the limit, but only a POST uses it up. */
async function limitRate(c: Context<Env>, next: () => Promise<void>, options: AppOptions) {
  const { rateLimit, host } = options;
  if (!rateLimit) return next();
  const address = addressOf(c, options);
  const note = (more: Record<string, string>) => {
    c.set("limits", { ...c.get("limits"), ...more });
    for (const [name, value] of Object.entries(more)) c.header(name, value);
  };
  note({ ...rateLimit.headers(address, host.now()), ...countedBy(c, address) });
  if (c.req.method === "POST") note(rateLimit.take(address, host.now()));
  return next();
}

/** A stranger's requests have a limit whatever their path and method. */
async function limitOtherRequests(c: Context<Env>, next: () => Promise<void>, options: AppOptions) {
  const { otherRequestsLimit, host } = options;
  const { method, path } = c.req;
  const isCounted = !(method === "POST" && path.startsWith("/public/")) && !PROBES.includes(path);
  if (otherRequestsLimit && isCounted) otherRequestsLimit.take(addressOf(c, options), host.now());
  return next();
}

/** Tells clients the address that counts, and the header that came with their request. */
function countedBy(c: Context<Env>, address: string): Record<string, string> {
  const forwardedFor = c.req.header("x-forwarded-for") ?? "";
  const isShown = /^[\x20-\x7e]{1,1000}$/.test(forwardedFor);
  return {
    "x-rate-limit-request-remote-addr": address,
    ...(isShown && { "x-rate-limit-request-forwarded-for": forwardedFor }),
  };
}

/** Looked up once for each request. */
function addressOf(c: Context<Env>, { clientAddress }: AppOptions): string {
  const known = c.get("address");
  if (known !== undefined) return known;
  const address = clientAddress(socketAddressOf(c), headerOf(c, "x-forwarded-for"));
  c.set("address", address);
  return address;
}
