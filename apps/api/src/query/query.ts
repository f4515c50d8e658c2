import { encodeUtf8 } from "@keyhearth/crypto/encoding";
import { checkAll } from "@keyhearth/engine/errors";
import { parseFields } from "@keyhearth/engine/parse-fields";
import type { StampHeader } from "@keyhearth/engine/people/authenticate";
import { assertOrganizationId, parseObject } from "@keyhearth/engine/submission/envelope";
import { findCurrent } from "../documents.ts";
import { MissingRecord, organizationNotFound } from "../errors.ts";
import type { Owner } from "../families.ts";
import { isGenuine } from "../genuine.ts";
import type { Host } from "../host.ts";
import { readStamp } from "../http/stamp.ts";
import { explainUnreadable } from "../http/unreadable-json.ts";
import { takeFromCaller, takeFromSession } from "../limits/credentials.ts";
import { findQuery } from "../queries/index.ts";
import { HERE, TooHeavy } from "../reader/allowance.ts";
import { asksOf, sent } from "../reader/asks.ts";
import type { QueryJob } from "../reader/messages.ts";
import type { StoredDocument } from "../store/organizations.ts";
import { type Caller, findCaller } from "./caller.ts";
import type { QueryContext, QueryDeclaration } from "./define.ts";
import { findSessionCaller, isGenuineSession } from "./session-caller.ts";
import { toText } from "./text.ts";

export type QueryRequest = {
  name: string;
  body: string;
  stamp: StampHeader | null;
  /** A read-only session. If there is a stamp, it decides. */
  session?: string | null;
  /** Calls back when the last byte of the answer has left. */
  whenSent?: (callBack: () => void) => void;
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
  { name, body, stamp, session = null, whenSent = (callBack) => callBack() }: QueryRequest,
): Promise<Answer> {
  const declaration = findQuery(name);
  if (!declaration) throw new Error("a query without a declaration");
  const { organizationId, request } = parseRequest(
    declaration,
    explainUnreadable(body, () => parseObject(body)),
  );
  const { queries, queriesOfFamilies } = host.places;
  const work = async () => {
    const owner = await host.families.ownerOf(organizationId);
    const parsed = { owner, request, body, stamp, session, whenSent };
    return queriesOfFamilies.run(
      owner.familyId,
      async () => true,
      () => answer(host, declaration, parsed),
    );
  };
  return queries.run(
    organizationId,
    () =>
      stamp || session === null
        ? isGenuine(host, organizationId, { body, stamp })
        : isGenuineSession(host, organizationId, session),
    work,
  );
}

type Parsed = Required<Omit<QueryRequest, "name">> & { owner: Owner; request: unknown };

/** Answers from one version of the document: if what it names is deleted meanwhile, from the next one. */
async function answer(host: Host, declaration: QueryDeclaration, parsed: Parsed): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
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
  { owner, request, body, stamp, session, whenSent }: Parsed,
): Promise<Answer> {
  const { organizationId } = owner;
  const asked = await findCurrent(host, organizationId);
  if (!asked) throw organizationNotFound(organizationId);
  const options = { findsSubOrganization: declaration.findsSubOrganization === true };
  const { subject, caller, user } =
    stamp || !session
      ? await findStamper(host, asked, { header: stamp, body }, options)
      : await findSession(host, asked, session, options);
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
    return await makeAnswer(host, declaration, { owner, request, whenSent, ...found });
  } finally {
    host.metrics.query(declaration.name, (performance.now() - startedAt) / 1000);
  }
}

type Making = Pick<Parsed, "owner" | "request" | "whenSent"> & {
  document: StoredDocument;
  caller: QueryContext["caller"];
};

/** What takes long is left to the reader. */
async function makeAnswer(
  host: Host,
  declaration: QueryDeclaration,
  making: Making,
): Promise<Answer> {
  const isHeavy = declaration.isHeavy?.({ stored: making.document }) ?? false;
  if (!isHeavy) {
    try {
      // Most answers show parts of the document. Making one takes a few times its bytes.
      const need = SMALL_BYTES + 4 * making.document.bytes.length;
      return await hold(host, making, need, () => answerHere(host, declaration, making));
    } catch (error) {
      if (!(error instanceof TooHeavy)) throw error;
    }
  }
  const { maxBytes = MOST_BYTES } = declaration;
  return hold(host, making, maxBytes, () => answerInReader(host, declaration, making));
}

const SMALL_BYTES = 64 * 1024;
const MOST_BYTES = 8 * 1024 * 1024;

/** Takes room for an answer while it is made, and for its bytes until the last one has left. */
async function hold(
  { underWay }: Host,
  { owner, whenSent }: Making,
  need: number,
  make: () => Promise<Answer>,
): Promise<Answer> {
  const held = await underWay.take(owner, need);
  try {
    const answer = await make();
    held.resize(typeof answer === "string" ? 2 * answer.length : answer.length);
    whenSent(held.release);
    return answer;
  } catch (error) {
    held.release();
    throw error;
  }
}

async function answerHere(
  host: Host,
  declaration: QueryDeclaration,
  { request, document: stored, caller }: Making,
): Promise<string> {
  const { read: _, ...asks } = asksOf(host, stored);
  const context: QueryContext = {
    db: host.store.db,
    organizationId: stored.organizationId,
    stored,
    document: stored.document,
    caller,
    ...asks,
    interfaces: host.interfaces,
    allowance: HERE,
    nowMs: host.now(),
  };
  return toText(await declaration.answer(context, request));
}

function answerInReader(
  host: Host,
  { name }: QueryDeclaration,
  { owner, request, document, caller }: Making,
): Promise<Uint8Array<ArrayBuffer>> {
  const job: QueryJob = {
    kind: "query",
    name,
    request,
    document: sent(document),
    caller,
    nowMs: host.now(),
  };
  return host.reader.run(owner.familyId, job, asksOf(host, document));
}

async function findStamper(
  host: Host,
  asked: StoredDocument,
  { header, body }: { header: StampHeader | null; body: string },
  options: { findsSubOrganization: boolean },
): Promise<Caller> {
  const stamp = readStamp(header);
  const found = await findCaller(host, asked, { stamp, body: encodeUtf8(body) }, options);
  takeFromCaller(host, stamp, found.caller.organizationId);
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

/** Refuses all that is wrong with the fields at once. */
function parseRequest({ request: schema }: QueryDeclaration, value: Record<string, unknown>) {
  const { organizationId } = value;
  let request: unknown;
  checkAll(
    () => assertOrganizationId(organizationId),
    () => {
      // The first check is about the organization, and clients look for its text.
      request = parseFields(schema, { ...value, organizationId: NO_ORGANIZATION }, "");
    },
  );
  return { organizationId: String(organizationId), request };
}

const NO_ORGANIZATION = "00000000-0000-0000-0000-000000000000";
