import type { Core } from "../core/core.ts";
import type { Answer, Submit } from "../core/protocol.ts";
import { markOf } from "../core/tickets.ts";
import { recordRefused } from "../errors.ts";
import { assertNotDeleted } from "../people/organization-deletion.ts";
import { createRecords, type Facts } from "../records/facts.ts";
import type { VerifiedRecord } from "../records/held-records.ts";
import type { OrganizationDocument } from "../records/organization.ts";
import type { Organization } from "../records/organization-index.ts";

/** The records that the host brought with a request. All notarizations have been verified. */
export type BroughtRecords = Facts & {
  /** The parent, whose document equals the signer's mark too. Only some requests need it. */
  parent: Organization | null;
  parentHeld: VerifiedRecord | null;
  /** The organization's document, which equals the signer's mark. */
  held: VerifiedRecord;
  organization: Organization;
  /** All other records, bound to the document or not, before the check that the request wants them. */
  others: VerifiedRecord[];
};

/**
 * Resolves the records that the host named, or asks for those that the core does not hold. Only the
 * document that was confirmed last decides anything.
 */
export function bringRecords(
  core: Core,
  { records: digests, attachments }: Submit,
): BroughtRecords | Extract<Answer, { kind: "need" | "unconfirmed" }> {
  const sent = new Map<string, VerifiedRecord>();
  for (const bytes of attachments) {
    const record = core.held.add(bytes);
    sent.set(record.digest, record);
  }
  const resolved: VerifiedRecord[] = [];
  const missing: string[] = [];
  for (const digest of digests) {
    // What is missing is named in the answer.
    if (!isDigest(digest)) throw recordRefused("a record that is not named by its digest");
    const record = sent.get(digest) ?? core.held.get(digest);
    if (record) resolved.push(record);
    else missing.push(digest);
  }
  if (missing.length > 0) return { kind: "need", digests: missing };

  const [held, ...others] = resolved;
  if (!held?.organization) {
    throw recordRefused("the host must bring the organization's document first");
  }
  const { organization } = held;
  const { document } = organization;
  const parent = others.find(({ organization: it }) => it && isParent(it.document, document));
  const documents = parent ? [held, parent] : [held];
  const isConfirmed = documents.every((each) =>
    core.marks.isConfirmed(markOf(each, each.organization?.document ?? document)),
  );
  if (!isConfirmed) return { kind: "unconfirmed" };
  assertNotDeleted(document);
  const beside = others.filter((record) => record !== parent);
  return {
    held,
    organization,
    document,
    parent: parent?.organization ?? null,
    parentHeld: parent ?? null,
    others: beside,
    records: createRecords(document, beside),
  };
}

/** A hostile host may send anything. */
function isDigest(digest: unknown): boolean {
  return typeof digest === "string" && /^[0-9a-f]{64}$/.test(digest);
}

function isParent(
  { organizationId }: OrganizationDocument,
  { parentOrganizationId }: OrganizationDocument,
): boolean {
  return organizationId === parentOrganizationId;
}
