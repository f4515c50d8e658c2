import type { Sources } from "../chains/sources.ts";
import type { Core } from "../core/core.ts";
import { type ActivityDeclaration, maySend } from "../declare/define.ts";
import { recordRefused } from "../errors.ts";
import type { Authenticated } from "../people/authenticate.ts";
import { originsOf } from "../people/passkey-origins.ts";
import type { Registrations } from "../people/passkey-registrations.ts";
import type { Approval } from "../policies/approvals.ts";
import { assertRequested } from "../records/assert-requested.ts";
import type { Want } from "../records/kinds.ts";
import type { Organization } from "../records/organization-index.ts";
import { policyCredential } from "../records/terms.ts";
import type { BroughtRecords } from "./bring-records.ts";
import type { Envelope } from "./envelope.ts";

/** A request whose stamp is verified, with its records and intent. */
export type Submission = BroughtRecords & {
  core: Core;
  envelope: Envelope;
  declaration: ActivityDeclaration;
  /** In the shape of the declaration's default version. */
  intent: unknown;
  /** The text of the bytes that were stamped, and the bytes themselves: nothing encodes the text again. */
  body: string;
  bodyBytes: Uint8Array;
  fingerprint: string;
  who: Authenticated;
  /** The organization that decides, of which `who` is a user: this one, or its parent. */
  decider: Organization;
  registrations: Registrations;
  nowMs: number;
};

/** The same before it is known who has sent it. */
export type Unsent = Omit<Submission, "who" | "decider">;

/** The sources of the declaration's `read`. */
export function sourcesOf({ core, document, records }: Submission): Sources {
  return { document, records, interfaces: core.interfaces };
}

/** Refuses records that the request did not ask for, or that belong to another organization. */
export function assertAllRequested(
  { others, document, organization, decider, who }: Submission,
  wants: Want[],
) {
  // A user of the organization may have a session with the key of a user of the parent.
  const mayBeSession = who.session !== null || decider !== organization;
  const all: Want[] = mayBeSession
    ? [...wants, { type: "sessions-of-keys", publicKeys: [who.stamp.publicKey] }]
    : wants;
  for (const record of others) assertRequested(record, all, document);
}

/** The pages that may use passkeys. Without its parent, a sub-organization does not know them. */
export function originsFor({
  document,
  parent,
}: Pick<Submission, "document" | "parent">): readonly string[] {
  if (document.parentOrganizationId !== null && !parent) {
    throw recordRefused("a request with a passkey needs the parent's document too");
  }
  return originsOf(document, parent?.document ?? null);
}

/** What the parent may ask for also depends on the parent: on its users, policies and features. */
export function assertParentBrought(
  declaration: ActivityDeclaration,
  { document, parent }: Pick<Submission, "document" | "parent">,
) {
  if (document.parentOrganizationId === null || parent) return;
  if (!maySend("parent's user", declaration)) return;
  throw recordRefused("this kind of request needs the parent's document too");
}

/** The approval by this request's stamp. */
export function approvalOf({ who: { user, credential } }: Submission): Approval {
  return { user, credential: policyCredential(user.userId, credential) };
}
