import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import type { Core } from "../core/core.ts";
import type { Answer } from "../core/protocol.ts";
import { type Mark, markOfFounded } from "../core/tickets.ts";
import { alreadyExecuted } from "../errors.ts";
import type { OutgoingMessage } from "../messages/message.ts";
import { rememberEnded } from "../people/ended-users.ts";
import { assertNobodyLockedOut } from "../people/lock-out.ts";
import { createProver } from "../receipts/prove.ts";
import { createLeaf } from "../receipts/receipts.ts";
import {
  type ActivityRecord,
  activity as activityKind,
  activityStatement,
  requestDigestOf,
} from "../records/activity.ts";
import type { VerifiedRecord } from "../records/held-records.ts";
import type { OrganizationDocument } from "../records/organization.ts";
import { recordDigest } from "../records/record.ts";
import { notarizeDocument, notarizeRecord, type Written } from "../records/write.ts";
import { sealResult } from "./secret-result.ts";
import { dropLapsed } from "./waiting-list.ts";

type Outcome = {
  held: VerifiedRecord;
  document: OrganizationDocument;
  activity: ActivityRecord;
  activityVersion: number;
  /** The organization's next document, if it changes. */
  draft: OrganizationDocument | null;
  /** Does it change nothing but what the document remembers of activities? */
  onlyLists?: boolean;
  written: Written[];
  messages?: OutgoingMessage[];
  /** Is the result kept back until the commit is confirmed? */
  isSecret: boolean;
  /** A sub-organization that cannot be made once this is committed. */
  unfounded?: string | undefined;
  /** Does the request ask for a signed statement in the response? */
  prove: boolean;
  nowMs: number;
};

/** Notarizes the results of a submission as a proposal to the host. */
export function propose(core: Core, outcome: Outcome): Answer {
  const { held, document, activityVersion, draft, written, messages = [], nowMs } = outcome;
  const { organizationId } = document;
  const { keyring } = core;
  const writes = [...written];

  if (draft) {
    assertNobodyLockedOut(document, draft);
    dropLapsed(draft, nowMs);
    rememberEnded(document, draft, nowMs);
    draft.previousDigest = held.digest;
    const { version } = held.header;
    draft.shownVersion = outcome.onlyLists ? (document.shownVersion ?? version) : null;
    draft.updatedAtMs = nowMs;
    draft.founds = foundedIn(written) ?? unfoundedBy(core, outcome);
    writes.unshift(notarizeDocument(keyring, draft, held.header.version + 1));
  }
  const shown = outcome.isSecret
    ? sealResult(core, organizationId, outcome.activity, writes[0])
    : outcome.activity;
  const activity = outcome.prove
    ? { ...shown, appProofs: [proveOutcome(core, organizationId, { ...outcome, activity: shown })] }
    : shown;
  const place = { organizationId, id: activity.activityId, version: activityVersion };
  const record = notarizeRecord(keyring, activityKind, place, activity);
  const documents = writes.filter(({ type }) => type === "organization");
  assertNew(core, documents, organizationId);
  const statement = activityStatement(organizationId, activity, activityVersion);
  return {
    kind: "proposal",
    organizationId,
    documentVersion: held.header.version,
    documentDigest: held.digest,
    activity: {
      activityId: activity.activityId,
      type: activity.type,
      status: activity.status,
      fingerprint: activity.fingerprint,
      version: activityVersion,
    },
    leaf: createLeaf(keyring, organizationId, statement),
    ticket: documents.length > 0 ? core.tickets.open(marksAfter(held, documents, draft)) : null,
    attachments: [record.bytes, ...writes.map(({ bytes }) => bytes)],
    ...(messages.length > 0 && { messages }),
  };
}

/**
 * The request that creates an organization determines its id. If the organization exists, the
 * request has run before, whatever the host says. It must not create new keys for the same id.
 */
function assertNew({ marks }: Core, documents: Written[], ownId: string) {
  if (documents.every(({ organizationId: id }) => id === ownId || !marks.knows(id))) return;
  throw alreadyExecuted();
}

/** The first documents of a proposal that writes the organization's own document too. */
function foundedIn(written: Written[]): OrganizationDocument["founds"] {
  const founded = written.filter(({ type }) => type === "organization");
  if (founded.length === 0) return undefined;
  return founded.map(({ organizationId, bytes }) => ({
    organizationId,
    digest: recordDigest(bytes),
  }));
}

/** No document has the digest, so none is the first one. */
function unfoundedBy({ marks }: Core, { unfounded }: Outcome): OrganizationDocument["founds"] {
  if (unfounded === undefined || marks.knows(unfounded)) return undefined;
  return [{ organizationId: unfounded, digest: "0".repeat(64) }];
}

/** A next document replaces the one of the decision. Any other is the first of an organization. */
function marksAfter(
  { digest: decidedBy }: VerifiedRecord,
  documents: Written[],
  draft: OrganizationDocument | null,
): Mark[] {
  const founded = draft?.founds ?? [];
  const isFounded = ({ organizationId: id }: Written) =>
    founded.some(({ organizationId }) => organizationId === id);
  const others = documents.filter((each) => !isFounded(each));
  return [
    ...others.map(({ organizationId, version, bytes }) => {
      const previousDigest = version === 1 ? null : decidedBy;
      return { organizationId, version, digest: recordDigest(bytes), previousDigest };
    }),
    ...founded.map(markOfFounded),
  ];
}

function proveOutcome(core: Core, organizationId: string, { held, activity, nowMs }: Outcome) {
  return createProver(core.quorum, nowMs)("APP_PROOF_TYPE_POLICY_OUTCOME", "policyOutcomeProof", {
    organizationId,
    activityId: activity.activityId,
    fingerprint: activity.fingerprint,
    outcome: activity.status,
    resultDigest: encodeHex(sha256(encodeUtf8(JSON.stringify(activity.result)))),
    organizationDataDigest: held.digest,
    userRequestApprovals: activity.votes.map((vote) => ({
      userId: vote.userId,
      selection: vote.selection,
      requestDigest: requestDigestOf(activity, vote),
    })),
  });
}
