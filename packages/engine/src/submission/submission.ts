import type { Core } from "../door/core.ts";
import type { Authenticated } from "../people/authenticate.ts";
import { policyCredential } from "../policies/terms.ts";
import type { HeldRecord } from "../records/held-records.ts";
import type { OrganizationDocument } from "../records/organization.ts";
import type { Sessions } from "../records/sessions.ts";
import type { Approval } from "./approvals.ts";
import type { Brought } from "./bring-records.ts";
import type { ActivityDeclaration, Sources, Want } from "./define.ts";
import type { Envelope } from "./envelope.ts";
import { assertRequested } from "./execution.ts";

/** A request whose stamp has verified, with what it is about. */
export type Submission = Brought & {
  core: Core;
  /** The organization's document; the organization holds the same one. */
  document: OrganizationDocument;
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
  return { document, brought: records, interfaces: core.interfaces };
}

/** Every record that was brought must be asked for by the request, and be of its organization. */
export function assertOnly({ records, document, who }: Submission, wants: Want[]) {
  const all: Want[] = who.session
    ? [...wants, { type: "sessions", userId: who.user.userId }]
    : wants;
  for (const record of records) assertRequested(record, all, document);
}

export function sessionsIn(records: HeldRecord[]): Sessions[] {
  return records.flatMap(({ header, body }) =>
    header.type === "sessions" ? [body as Sessions] : [],
  );
}

/** The approval that this request's stamp gives. */
export function approvalOf({ who: { user, credential } }: Submission): Approval {
  return { user, credential: policyCredential(user.userId, credential) };
}
