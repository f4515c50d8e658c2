import { encodeUtf8 } from "@keyhearth/crypto/encoding";
import { fingerprint } from "@keyhearth/crypto/fingerprint";
import { activityNamed } from "../activities/index.ts";
import type { Core } from "../door/core.ts";
import type { Answer, Submit } from "../door/protocol.ts";
import { recordRefused } from "../errors.ts";
import type { Verdicts } from "../people/attestation-statements.ts";
import {
  authenticate,
  findLongLived,
  parseStamp,
  type StampHeader,
} from "../people/authenticate.ts";
import { createRegistrations } from "../people/passkey-registrations.ts";
import { isOfType } from "../records/kinds.ts";
import { type BroughtRecords, bringRecords } from "./bring-records.ts";
import type { ActivityDeclaration } from "./define.ts";
import { type Envelope, parseEnvelope, parseIntent, typeReadAs, versionOf } from "./envelope.ts";
import { identifyNewcomer } from "./newcomer.ts";
import { start } from "./start.ts";
import { originsFor, type Submission } from "./submission.ts";
import { vote } from "./vote.ts";
import { findWaitingActivity } from "./waiting-activity.ts";

/**
 * Handles a submission. Every decision is based on the stamped bytes and on verified records.
 * Anything else that the host says only helps to find them.
 */
export function submit(core: Core, request: Submit, verdicts: Verdicts): Answer {
  const brought = bringRecords(core, request);
  if ("kind" in brought) return brought;

  const submission = authenticateSubmission(core, request, brought, verdicts);
  const waiting = findWaitingActivity(submission);
  return waiting ? vote(submission, waiting) : start(submission);
}

/** Parses the request and authenticates its stamp. */
function authenticateSubmission(
  core: Core,
  request: Submit,
  brought: BroughtRecords,
  verdicts: Verdicts,
): Submission {
  const { organization, records } = brought;
  const stamped = parseEnvelope(request.body);
  const declaration = activityNamed(request.endpoint);
  // A type that does not belong to the endpoint is refused before the stamp is looked at.
  versionOf(declaration, stamped.type);
  const envelope = { ...stamped, type: typeReadAs(declaration, stamped) };
  assertAddressedTo(brought, { declaration, envelope, stamp: request.stamp });

  const nowMs = core.now();
  const bytes = encodeUtf8(request.body);
  const origins = () => originsFor(brought);
  const submission = {
    ...brought,
    core,
    envelope,
    declaration,
    intent: parseIntent(declaration, envelope),
    body: request.body,
    fingerprint: fingerprint(bytes),
    registrations: createRegistrations({ origins, verdicts, nowMs }),
    nowMs,
  };
  const newcomer =
    declaration.newcomer &&
    identifyNewcomer({ ...submission, stamp: request.stamp, origins: origins() });
  const who =
    newcomer ??
    authenticate({
      stamp: parseStamp(request.stamp),
      body: bytes,
      organization,
      sessions: records.bound.filter(isOfType("sessions")).map(({ body }) => body),
      stampKeys: core.stampKeys,
      origins,
      nowMs,
    });
  return { ...submission, who };
}

type Asked = { declaration: ActivityDeclaration; envelope: Envelope; stamp: StampHeader | null };

/**
 * The stamped bytes must name this organization. A login may name its parent instead, unless a user of the
 * parent holds the credential: then it is for the parent.
 */
function assertAddressedTo(
  { document, parent }: BroughtRecords,
  { declaration, envelope: { organizationId }, stamp }: Asked,
) {
  if (organizationId === document.organizationId) return;
  if (!declaration.findsSubOrganization || organizationId !== document.parentOrganizationId) {
    throw recordRefused("the host brought the document of another organization");
  }
  if (!parent) throw recordRefused("a login by the parent's id needs the parent's document too");
  if (!findLongLived(parent, parseStamp(stamp))) return;
  throw recordRefused("a user of the parent, which the request names, holds the credential");
}
