import { encodeUtf8 } from "@keyhearth/crypto/encoding";
import type { Description } from "@keyhearth/engine/door/protocol";
import { ApiError, checkAll, fromErrorMessage } from "@keyhearth/engine/errors";
import { parseFields } from "@keyhearth/engine/parse-fields";
import type { StampHeader } from "@keyhearth/engine/people/authenticate";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { Identity } from "@keyhearth/engine/records/organization";
import { assertOrganizationId, parseObject } from "@keyhearth/engine/submission/envelope";
import { findCurrent } from "../documents.ts";
import { MissingRecord, organizationNotFound } from "../errors.ts";
import { isGenuine } from "../genuine.ts";
import type { Host } from "../host.ts";
import { readStamp } from "../http/stamp.ts";
import { explainUnreadable } from "../http/unreadable-json.ts";
import { takeFromCaller, takeFromSession } from "../limits/credentials.ts";
import { findQuery } from "../queries/index.ts";
import type { StoredDocument } from "../store/organizations.ts";
import { withResult } from "../submission/confirm.ts";
import { type Caller, findCaller } from "./caller.ts";
import type { QueryDeclaration } from "./define.ts";
import { findSessionCaller, isGenuineSession } from "./session-caller.ts";

export type QueryRequest = {
  name: string;
  body: string;
  stamp: StampHeader | null;
  /** A read-only session. If there is a stamp, it decides. */
  session?: string | null;
};

/**
 * Answers a query: checks the stamp, reads, responds. Users may read everything in their own
 * organization, and users of a parent also everything in its sub-organizations. Policies do not
 * apply to queries.
 */
export async function query(
  host: Host,
  { name, body, stamp, session = null }: QueryRequest,
): Promise<unknown> {
  const declaration = findQuery(name);
  if (!declaration) throw new Error("a query without a declaration");
  const { organizationId, request } = parseRequest(
    declaration,
    explainUnreadable(body, () => parseObject(body)),
  );
  return host.places.queries.run(
    organizationId,
    () =>
      stamp || session === null
        ? isGenuine(host, organizationId, { body, stamp })
        : isGenuineSession(host, organizationId, session),
    () => answer(host, declaration, { organizationId, request, body, stamp, session }),
  );
}

type Parsed = Omit<QueryRequest, "name"> & { organizationId: string; request: unknown };

/** Answers from one version of the document: if what it names is deleted meanwhile, from the next one. */
async function answer(host: Host, declaration: QueryDeclaration, parsed: Parsed): Promise<unknown> {
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
  { organizationId, request, body, stamp, session }: Parsed,
): Promise<unknown> {
  const asked = await findCurrent(host, organizationId);
  if (!asked) throw organizationNotFound(organizationId);
  const options = { findsSubOrganization: declaration.findsSubOrganization === true };
  const { subject, caller, user } =
    stamp || !session
      ? await findStamper(host, asked, { header: stamp, body }, options)
      : await findSession(host, asked, session, options);
  const context = {
    db: host.store.db,
    organizationId: subject.organizationId,
    stored: subject,
    document: subject.document,
    caller: {
      organizationId: caller.organizationId,
      organizationName: caller.document.organizationName,
      user,
    },
    pending: host.pending,
    withResult: (activity: ActivityRecord, bytes: Uint8Array) =>
      withResult(host, activity, bytes, subject),
    receiptKey: () => findReceiptKey(host),
    identityOf: (oidcToken: string) => findIdentity(host, subject.organizationId, oidcToken),
    interfaces: host.interfaces,
    log: host.log,
    nowMs: host.now(),
  };
  const startedAt = performance.now();
  try {
    return await declaration.answer(context, request);
  } finally {
    host.metrics.query(declaration.name, (performance.now() - startedAt) / 1000);
  }
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

async function findIdentity(
  host: Host,
  organizationId: string,
  oidcToken: string,
): Promise<Identity> {
  const answer = await host.askSigner({ call: "describe", oidcToken }, organizationId);
  if (answer.kind === "error") throw fromErrorMessage(answer.error);
  if (answer.kind === "description" && answer.identity) return answer.identity;
  throw new ApiError("UNAVAILABLE", "SIGNER_UNAVAILABLE", "the signer did not verify the token");
}

async function findReceiptKey(host: Host): Promise<Description["receiptKey"]> {
  const answer = await host.askSigner({ call: "describe" });
  if (answer.kind === "description") return answer.receiptKey;
  throw new ApiError("UNAVAILABLE", "SIGNER_UNAVAILABLE", "the signer did not return its keys");
}
