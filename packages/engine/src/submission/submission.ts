import type { Core } from "../door/core.ts";
import type { Authenticated } from "../people/authenticate.ts";
import { policyCredential } from "../policies/terms.ts";
import type { Want } from "../records/kinds.ts";
import { assertRequested } from "../records/requested.ts";
import type { Approval } from "./approvals.ts";
import type { BroughtRecords } from "./bring-records.ts";
import type { ActivityDeclaration, Sources } from "./define.ts";
import type { Envelope } from "./envelope.ts";

/** A request whose stamp has verified, with what it is about. */
export type Submission = BroughtRecords & {
  core: Core;
  envelope: Envelope;
  declaration: ActivityDeclaration;
  /** In the shape of the declaration's default version. */
  intent: unknown;
  /** The exact text that was stamped. */
  body: string;
  fingerprint: string;
  who: Authenticated;
  nowMs: number;
};

/** What a declaration reads from. */
export function sourcesOf({ core, document, records }: Submission): Sources {
  return { document, records, interfaces: core.interfaces };
}

/** Every record that was brought must be asked for by the request, and be of its organization. */
export function assertOnly({ others, document, who }: Submission, wants: Want[]) {
  const all: Want[] = who.session
    ? [...wants, { type: "sessions-of-keys", publicKeys: [who.stamp.publicKey] }]
    : wants;
  for (const record of others) assertRequested(record, all, document);
}

/** The approval that this request's stamp gives. */
export function approvalOf({ who: { user, credential } }: Submission): Approval {
  return { user, credential: policyCredential(user.userId, credential) };
}
