import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import type { Core } from "../core/core.ts";
import type { Answer, Submit } from "../core/protocol.ts";
import { type ActivityDeclaration, maySend } from "../declare/define.ts";
import { recordRefused } from "../errors.ts";
import type { Verdicts } from "../people/attestation-statements.ts";
import { findLongLived, parseStamp, type Stamp } from "../people/authenticate.ts";
import { isOauth2Token } from "../people/oauth2-tokens.ts";
import { createRegistrations } from "../people/passkey-registrations.ts";
import { countsByVotesAlone } from "../records/votes-only.ts";
import { type BroughtRecords, bringRecords } from "./bring-records.ts";
import {
  type Envelope,
  parseEnvelope,
  parseIntent,
  textOf,
  typeReadAs,
  versionOf,
} from "./envelope.ts";
import { assertDecidedHere } from "./parents-request.ts";
import { type Senders, sendersOf } from "./senders.ts";
import { start } from "./start.ts";
import { assertParentBrought, originsFor } from "./submission.ts";
import { vote } from "./vote.ts";
import { findWaitingActivity } from "./waiting-activity.ts";

/**
 * Handles a submission. Every decision is based on the stamped bytes and on verified records.
 * Anything else that the host says only helps to find them.
 */
export function submit(core: Core, request: Submit, verdicts: Verdicts): Answer {
  const brought = bringRecords(core, request);
  if ("kind" in brought) return brought;

  const senders = authenticateSubmission(core, request, brought, verdicts);
  const voter = senders.at(-1) ?? senders[0];
  const waiting = findWaitingActivity(voter);
  if (!waiting) return start(senders);
  assertDecidedHere(voter, waiting);
  return vote(voter, waiting);
}

/** Parses the request and authenticates its stamp. */
function authenticateSubmission(
  core: Core,
  request: Submit,
  brought: BroughtRecords,
  verdicts: Verdicts,
): Senders {
  const body = textOf(request.body);
  const sent = parseEnvelope(body);
  const declaration = core.activities.named(request.endpoint);
  // A type that does not belong to the endpoint is refused before the stamp is looked at.
  versionOf(declaration, sent.type);
  const envelope = { ...sent, type: typeReadAs(declaration, sent) };
  assertAddressedTo(brought, declaration, envelope);
  assertParentBrought(declaration, brought);
  const stamp = parseStamp(request.stamp, maySend("attested key", declaration));
  assertNotForParent(brought, envelope, stamp);

  const nowMs = core.now();
  const origins = () => originsFor(brought);
  const own = {
    isOwn: (token: string) => isOauth2Token(token, core.oauth2Key),
    countsFrom: (organizationId: string) => isOfFamily(brought, organizationId),
    // The document of a sub-organization does not say what waited in the parent.
    isVoid: (organizationId: string, request: string | undefined) =>
      organizationId === brought.document.organizationId &&
      countsByVotesAlone(brought.document, request),
  };
  const unsent = {
    ...brought,
    core,
    envelope,
    declaration,
    intent: parseIntent(declaration, envelope),
    body,
    bodyBytes: request.body,
    fingerprint: fingerprint(request.body),
    registrations: createRegistrations({ origins, verdicts, nowMs, own }),
    nowMs,
  };
  return sendersOf(unsent, stamp);
}

/** A credential of the parent is for the people of its sub-organizations. */
function isOfFamily({ document }: BroughtRecords, organizationId: string): boolean {
  return [document.organizationId, document.parentOrganizationId].includes(organizationId);
}

/** The stamped bytes must name this organization. A login may name its parent instead. */
function assertAddressedTo(
  { document, parent }: BroughtRecords,
  declaration: ActivityDeclaration,
  { organizationId }: Envelope,
) {
  if (organizationId === document.organizationId) return;
  const mayNameParent = maySend("user by the parent's id", declaration);
  if (!mayNameParent || organizationId !== document.parentOrganizationId) {
    throw recordRefused("the host brought the document of another organization");
  }
  if (!parent) throw recordRefused("a login by the parent's id needs the parent's document too");
}

/**
 * If a user of the parent holds the credential, a login by the parent's id is for the parent. What that user
 * registered without a permission does not count, since it may be the credential of somebody here.
 */
function assertNotForParent(
  { document, parent }: BroughtRecords,
  { organizationId }: Envelope,
  stamp: Stamp,
) {
  if (organizationId === document.organizationId) return;
  const held = parent && findLongLived(parent, stamp);
  if (!held || held.isStated) return;
  throw recordRefused("a user of the parent, which the request names, holds the credential");
}
