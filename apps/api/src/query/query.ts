import { checkAll } from "@keyhearth/engine/errors";
import { parseFields } from "@keyhearth/engine/fields/parse";
import { assertOrganizationId, parseObject } from "@keyhearth/engine/submission/envelope";
import { type Caller, findCaller } from "../callers/caller.ts";
import { findCurrent } from "../callers/current-document.ts";
import { findHomeOf } from "../callers/homes.ts";
import { hasKnownStamp } from "../callers/known-stamp.ts";
import { findSessionCaller, isGenuineSession } from "../callers/session-caller.ts";
import { goodStamp, type SentStamp, type Stamped } from "../callers/stamp.ts";
import { MissingRecord, organizationNotFound } from "../errors.ts";
import type { Owner } from "../fairness/families.ts";
import type { Turn } from "../fairness/family-turns.ts";
import type { Held, WhenSent } from "../fairness/under-way.ts";
import { CHARGED_BYTES } from "../fairness/waiting-bytes.ts";
import type { Host } from "../host/host.ts";
import { takeFromCaller, takeFromSession } from "../limits/credentials.ts";
import { traced, tracedWait } from "../observability/spans.ts";
import { HERE, TooHeavy } from "../reader/allowance.ts";
import type { QueryJob } from "../reader/messages.ts";
import type { Db } from "../store/connect.ts";
import type { StoredDocument } from "../store/organizations.ts";
import { asksOf, sent } from "../submission/asks.ts";
import { decodeBody, type Sender } from "../wire/request.ts";
import { explainUnreadable } from "../wire/unreadable-json.ts";
import type { QueryContext, QueryDeclaration } from "./define.ts";
import { readFrom } from "./read-from.ts";
import { sentAs } from "./sent-as.ts";
import { toText } from "./text.ts";

export type QueryRequest = {
  /** The exact bytes that were stamped. */
  body: Uint8Array;
  stamp: SentStamp<Stamped>;
  /** A read-only session. If there is a stamp, it decides. */
  session?: string | null;
  whenSent?: WhenSent;
  /** Called once the stamp, or the session, is known to be a user's. */
  onKnown?: () => void;
  /** Called with whose request it is, at the same time. */
  onSender?: (sender: Sender) => void;
};

/** JSON: the bytes, if the reader made it. */
export type Answer = string | Uint8Array<ArrayBuffer>;

/**
 * Answers a query, as JSON: checks the stamp, reads, responds. Users may read everything in their own
 * organization, and users of a parent also everything in its sub-organizations. Policies do not
 * apply to queries.
 */
export async function query(
  host: Host,
  declaration: QueryDeclaration,
  {
    body,
    stamp,
    session = null,
    whenSent = atOnce,
    onKnown = () => {},
    onSender = () => {},
  }: QueryRequest,
): Promise<Answer> {
  const { organizationId, readRequest } = readOf(declaration, body);
  const given = { readRequest, stamp, session, whenSent, onKnown, onSender };
  const work = async () => {
    const owner = await host.families.ownerOf(organizationId);
    return host.turns.queries.run(owner, (turn) =>
      answer(host, declaration, { owner, turn, ...given }),
    );
  };
  const home = await findPlace(host, declaration, organizationId, stamp);
  const isOwn = () =>
    stamp.header || session === null
      ? hasKnownStamp(host, home, { stamp })
      : isGenuineSession(host, home, session);
  const run = () =>
    tracedWait(
      "wait for a place",
      (begun) => host.concurrency.queries.run(home, isOwn, begun),
      work,
    );
  if (body.length <= CHARGED_BYTES) return run();
  // What others send in its name takes none of its room.
  const holder = (await isOwn()) ? await host.families.ownerOf(home) : null;
  return host.waitingBytes.hold(holder, body.length, run);
}

/**
 * Whose place a query takes. A user of a sub-organization who names the parent is nobody there: where strangers have
 * filled the parent's places, the query takes one of the sub-organization's.
 */
async function findPlace(
  host: Host,
  { findsSubOrganization }: QueryDeclaration,
  organizationId: string,
  { read }: QueryRequest["stamp"],
): Promise<string> {
  const isStamped = "stamp" in read;
  if (!findsSubOrganization || !isStamped || !host.concurrency.queries.isBusy(organizationId)) {
    return organizationId;
  }
  try {
    return await findHomeOf(host, organizationId, read);
  } catch {
    // The answer says what is wrong.
    return organizationId;
  }
}

const atOnce: WhenSent = (callBack) => {
  callBack();
  return null;
};

type Parsed = Required<Omit<QueryRequest, "body">> & {
  owner: Owner;
  turn: Turn;
  readRequest: () => unknown;
};

/** Answers from one version of the document: if what it names is deleted meanwhile, from the next one. */
async function answer(host: Host, declaration: QueryDeclaration, parsed: Parsed): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      await parsed.turn.enter();
      return await answerOnce(host, declaration, parsed);
    } catch (error) {
      if (!(error instanceof MissingRecord) || tries === MAX_TRIES) throw error;
    }
  }
}

/** Nobody deletes a key between two reads so many times. */
const MAX_TRIES = 5;

async function answerOnce(
  host: Host,
  declaration: QueryDeclaration,
  { owner, turn, readRequest, stamp, session, whenSent, onKnown, onSender }: Parsed,
): Promise<Answer> {
  const { organizationId } = owner;
  const asked = await findCurrent(host, organizationId);
  if (!asked) throw organizationNotFound(organizationId);
  const options = { findsSubOrganization: declaration.findsSubOrganization === true };
  const { subject, caller, user } = await traced("authenticate and limit", async () =>
    stamp.header || !session
      ? findStamper(host, asked, stamp, options)
      : findSession(host, asked, session, options),
  );
  onKnown();
  onSender({ organizationId: subject.organizationId, userId: user.userId });
  const found = {
    document: subject,
    caller: {
      organizationId: caller.organizationId,
      organizationName: caller.document.organizationName,
      user,
    },
  };
  const startedAt = performance.now();
  try {
    return await traced("answer", () =>
      makeAnswer(host, declaration, { owner, turn, readRequest, whenSent, ...found }),
    );
  } finally {
    host.metrics.query(declaration.name, (performance.now() - startedAt) / 1000);
  }
}

type Making = Pick<Parsed, "owner" | "turn" | "readRequest" | "whenSent"> & {
  document: StoredDocument;
  caller: QueryContext["caller"];
};

/**
 * What takes long is left to the reader. An answer holds room while it is made, and for its bytes until the last
 * one has left.
 */
async function makeAnswer(
  host: Host,
  declaration: QueryDeclaration,
  making: Making,
): Promise<Answer> {
  let isHeavy = declaration.isHeavy?.({ stored: making.document }) ?? false;
  for (;;) {
    const held = await takeRoom(host, making);
    try {
      const answer = isHeavy
        ? await answerInTurn(host, declaration, { ...making, held })
        : await answerHere(host, declaration, making);
      if (answer !== null) {
        held.resize(typeof answer === "string" ? 2 * answer.length : answer.length);
        held.releaseWhenSent(making.whenSent);
        return answer;
      }
      held.release();
    } catch (error) {
      held.release();
      if (isHeavy || !(error instanceof TooHeavy)) throw error;
      isHeavy = true;
    }
  }
}

const SMALL_BYTES = 64 * 1024;
const MAX_BYTES = 8 * 1024 * 1024;

/** Most answers show parts of the document. Making one takes a few times its bytes. */
async function takeRoom(
  { underWay }: Host,
  { owner, turn, document: { bytes } }: Making,
): Promise<Held> {
  const need = SMALL_BYTES + 4 * bytes.length;
  const held = underWay.tryTake(owner, need);
  if (held) return held;
  turn.leave();
  return underWay.take(owner, need);
}

/**
 * In the turn at the reader, so that what waits for it holds little. Null if there is no room for the answer: that
 * is waited for without a turn.
 */
function answerInTurn(
  host: Host,
  declaration: QueryDeclaration,
  { held, ...making }: Making & { held: Held },
): Promise<Answer | null> {
  const { maxBytes = MAX_BYTES } = declaration;
  making.turn.leave();
  return host.turns.reader.run(making.owner, async ({ charge }) =>
    held.tryResize(maxBytes) ? answerInReader(host, declaration, making, charge) : null,
  );
}

async function answerHere(
  host: Host,
  declaration: QueryDeclaration,
  { turn, readRequest, document: stored, caller }: Making,
): Promise<string> {
  await turn.enter();
  const { read: _, ...asks } = asksOf(host, stored);
  const context: Omit<QueryContext, "db"> = {
    organizationId: stored.organizationId,
    stored,
    document: stored.document,
    caller,
    ...asks,
    interfaces: host.interfaces,
    allowance: HERE,
    nowMs: host.now(),
  };
  const make = async (db: Db) =>
    toText(await declaration.answer({ ...context, db }, readRequest()));
  return readFrom(declaration, host.store, make);
}

function answerInReader(
  host: Host,
  { name }: QueryDeclaration,
  { owner, readRequest, document, caller }: Making,
  charge: Turn["charge"],
): Promise<Uint8Array<ArrayBuffer>> {
  const job: QueryJob = {
    kind: "query",
    name,
    request: readRequest(),
    document: sent(document),
    caller,
    nowMs: host.now(),
  };
  return host.reader.run(owner.familyId, job, asksOf(host, document), charge);
}

async function findStamper(
  host: Host,
  asked: StoredDocument,
  { read }: QueryRequest["stamp"],
  options: { findsSubOrganization: boolean },
): Promise<Caller> {
  const stamped = goodStamp(read);
  const found = await findCaller(host, asked, stamped, options);
  takeFromCaller(host, stamped.stamp, found.caller.organizationId);
  return found;
}

async function findSession(
  host: Host,
  asked: StoredDocument,
  session: string,
  options: { findsSubOrganization: boolean },
): Promise<Caller> {
  const found = await findSessionCaller(host, asked, session, options);
  takeFromSession(host, found.user.userId);
  return found;
}

/** A request of this size is not parsed again when its turn comes. */
const KEPT_BYTES = 1024;

/**
 * Parsed, a body can take twenty times its bytes, and a query may wait for a long time. So what waits keeps the bytes
 * alone, and is parsed again for its answer.
 */
function readOf(declaration: QueryDeclaration, body: Uint8Array) {
  const { organizationId, request } = parseRequest(declaration, parseBody(body));
  const isKept = body.length <= KEPT_BYTES;
  return { organizationId, readRequest: isKept ? always(request) : later(declaration, body) };
}

/** In functions of their own, because functions that are made in one place hold the same things. */
const always = (request: unknown) => () => request;
const later = (declaration: QueryDeclaration, body: Uint8Array) => () =>
  parseRequest(declaration, parseBody(body)).request;

function parseBody(body: Uint8Array): Record<string, unknown> {
  const text = decodeBody(body);
  return explainUnreadable(text, () => parseObject(text));
}

/** Refuses all that is wrong with the fields at once. */
function parseRequest({ request: schema }: QueryDeclaration, value: Record<string, unknown>) {
  const { organizationId } = value;
  let request: unknown;
  checkAll(
    () => assertOrganizationId(organizationId),
    () => {
      // The first check is about the organization, and clients look for its text.
      request = parseFields(schema, { ...value, organizationId: NO_ORGANIZATION }, "", sentAs);
    },
  );
  return { organizationId: String(organizationId), request };
}

const NO_ORGANIZATION = "00000000-0000-0000-0000-000000000000";
