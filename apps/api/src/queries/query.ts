import { encodeUtf8 } from "@keyhearth/crypto/encoding";
import type { Description } from "@keyhearth/engine/door/protocol";
import { ApiError, unauthenticated } from "@keyhearth/engine/errors";
import {
  type Authenticated,
  authenticate,
  parseStamp,
  publicKeyNotFound,
  type StampHeader,
} from "@keyhearth/engine/people/authenticate";
import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import { type Sessions, sessions as sessionsKind } from "@keyhearth/engine/records/sessions";
import {
  assertOrganizationId,
  parseFields,
  parseObject,
} from "@keyhearth/engine/submission/envelope";
import type { Host } from "../host.ts";
import { findSessions } from "../store/keys.ts";
import { findSubOrganizations, findUserIdByPublicKey } from "../store/lookups.ts";
import { findDocument, findPointer, type StoredDocument } from "../store/organizations.ts";
import { findQuery } from "./index.ts";

export type QueryRequest = { name: string; body: string; stamp: StampHeader | null };

/**
 * Stamp to reads to answer. A user may read everything in its organization, and a parent's user
 * everything in the sub-organizations. Policies do not bind queries.
 */
export async function query(host: Host, { name, body, stamp }: QueryRequest): Promise<unknown> {
  const declaration = findQuery(name);
  if (!declaration) throw new Error("a query without a declaration");
  const value = parseObject(body);
  assertOrganizationId(value.organizationId);
  const request = parseFields(declaration.request, value, "");

  const asked = await findCurrent(host, value.organizationId);
  if (!asked) {
    throw new ApiError(
      "NOT_FOUND",
      "ORGANIZATION_NOT_FOUND",
      `no organization found with the given ID: \`${value.organizationId}\``,
      { field: "organizationId" },
    );
  }
  const { subject, caller, user } = await findCaller(host, asked, body, stamp, {
    findsSubOrganization: declaration.findsSubOrganization === true,
  });
  const startedAt = performance.now();
  try {
    return await declaration.answer(
      {
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
        receiptKey: () => findReceiptKey(host),
        log: host.log,
        nowMs: host.now(),
      },
      request,
    );
  } finally {
    host.metrics.query(name, (performance.now() - startedAt) / 1000);
  }
}

type Caller = {
  /** The organization that is read. */
  subject: StoredDocument;
  /** The organization of the credential: the same one, or its parent. */
  caller: StoredDocument;
  user: Authenticated["user"];
};

/** The target organization first, then its parent, then, where allowed, one sub-organization. */
async function findCaller(
  host: Host,
  asked: StoredDocument,
  body: string,
  header: StampHeader | null,
  { findsSubOrganization }: { findsSubOrganization: boolean },
): Promise<Caller> {
  const { publicKey } = parseStamp(header);
  const own = await tryAuthenticate(host, asked, body, header);
  if (own) return { subject: asked, caller: asked, user: own.user };

  const { parentOrganizationId } = asked.document;
  if (parentOrganizationId !== null) {
    const parent = await findCurrent(host, parentOrganizationId);
    const parents = parent && (await tryAuthenticate(host, parent, body, header));
    if (parents) return { subject: asked, caller: parent, user: parents.user };
  } else if (findsSubOrganization) {
    const { db } = host.store;
    const found = await findSubOrganizations(db, asked.organizationId, "PUBLIC_KEY", publicKey);
    const [only, ...others] = found;
    if (others.length > 0) {
      throw unauthenticated(
        "CREDENTIAL_AMBIGUOUS",
        `more than one suborg associated with a public key organizationId=${asked.organizationId} publicKey=${publicKey}`,
      );
    }
    const subOrganization = only ? await findCurrent(host, only) : undefined;
    const theirs = subOrganization && (await tryAuthenticate(host, subOrganization, body, header));
    if (theirs) return { subject: subOrganization, caller: subOrganization, user: theirs.user };
  }
  throw publicKeyNotFound(asked.organizationId, publicKey);
}

/** Null if the organization does not know the key; any other failure is thrown. */
async function tryAuthenticate(
  host: Host,
  { organizationId, organization }: StoredDocument,
  body: string,
  header: StampHeader | null,
): Promise<Authenticated | null> {
  const stamp = parseStamp(header);
  const sessions = organization.findKey(stamp.publicKey)
    ? []
    : await findSessionsByKey(host, organizationId, stamp.publicKey);
  try {
    return authenticate({
      stamp,
      body: encodeUtf8(body),
      organization,
      sessions,
      nowMs: host.now(),
    });
  } catch (error) {
    if (error instanceof ApiError && error.reason === "CREDENTIAL_NOT_FOUND") return null;
    throw error;
  }
}

async function findSessionsByKey(
  { store: { db } }: Host,
  organizationId: string,
  publicKey: string,
): Promise<Sessions[]> {
  const userId = await findUserIdByPublicKey(db, organizationId, publicKey);
  const record = userId && (await findSessions(db, organizationId, userId));
  return record ? [upcast(sessionsKind, readRecord(record.bytes))] : [];
}

async function findReceiptKey(host: Host): Promise<Description["receiptKey"]> {
  const answer = await host.askSigner({ call: "describe" });
  if (answer.kind === "description") return answer.receiptKey;
  throw new ApiError("UNAVAILABLE", "SIGNER_UNAVAILABLE", "the signer does not name its keys");
}

/** The newest document: a cached one is used only while the database still points at it. */
async function findCurrent(
  { store: { db }, cache }: Host,
  organizationId: string,
): Promise<StoredDocument | undefined> {
  const cached = cache.document(organizationId);
  if (cached) {
    const pointer = await findPointer(db, organizationId);
    if (pointer?.digest === cached.digest) return cached;
  }
  const stored = await findDocument(db, organizationId);
  if (stored) cache.keepDocument(stored);
  return stored;
}
