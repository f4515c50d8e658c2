import type { Core } from "../door/core.ts";
import type { Answer, Submit } from "../door/protocol.ts";
import { recordRefused } from "../errors.ts";
import type { Organization } from "../people/organization.ts";
import type { HeldRecord } from "../records/held-records.ts";

/** What the host brought with a request: every notarization has verified. */
export type Brought = {
  /** The organization's document, checked against the signer's mark. */
  held: HeldRecord;
  organization: Organization;
  /** The records beside it. Nobody has asked for them yet. */
  records: HeldRecord[];
};

/** Resolves the records that the host named, or asks for the bytes of those the core does not hold. */
export function bringRecords(
  core: Core,
  { records: digests, attachments }: Submit,
): Brought | Extract<Answer, { kind: "need" }> {
  const sent = new Map<string, HeldRecord>();
  for (const bytes of attachments) {
    const record = core.held.add(bytes);
    sent.set(record.digest, record);
  }
  const resolved: HeldRecord[] = [];
  const missing: string[] = [];
  for (const digest of digests) {
    const record = sent.get(digest) ?? core.held.get(digest);
    if (record) resolved.push(record);
    else missing.push(digest);
  }
  if (missing.length > 0) return { kind: "need", digests: missing };

  const [held, ...records] = resolved;
  if (!held?.organization) {
    throw recordRefused("the host must bring the organization's document first");
  }
  core.marks.check(held.header.organizationId, held.header.version, held.digest);
  return { held, organization: held.organization, records };
}
