import { encodeUtf8 } from "@keyhearth/crypto/encoding";
import { fingerprint } from "@keyhearth/crypto/fingerprint";
import { readVerificationToken } from "@keyhearth/crypto/verification-token";
import { activityNamed } from "../activities/index.ts";
import type { Core } from "../door/core.ts";
import type { Answer, Submit } from "../door/protocol.ts";
import { recordRefused } from "../errors.ts";
import type { Verdicts } from "../people/attestation-statements.ts";
import type { Attestations } from "../people/attested-stamps.ts";
import {
  authenticate,
  findLongLived,
  isPasskeyStamp,
  parseStamp,
  type Stamp,
  type StampHeader,
} from "../people/authenticate.ts";
import type { Organization } from "../people/organization.ts";
import { originsOf } from "../people/passkey-origins.ts";
import { createRegistrations } from "../people/passkey-registrations.ts";
import { assertMayStamp } from "../people/recovery.ts";
import { isOfType } from "../records/kinds.ts";
import type { Sessions } from "../records/sessions.ts";
import { type BroughtRecords, bringRecords } from "./bring-records.ts";
import type { ActivityDeclaration } from "./define.ts";
import { type Envelope, parseEnvelope, parseIntent, typeReadAs, versionOf } from "./envelope.ts";
import { identifyNewcomer } from "./newcomer.ts";
import { assertDecidedHere } from "./parents-request.ts";
import { start } from "./start.ts";
import { assertParentBrought, originsFor, type Submission } from "./submission.ts";
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
  assertMayStamp(submission);
  const waiting = findWaitingActivity(submission);
  if (waiting) assertDecidedHere(submission, waiting);
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
  const sent = parseEnvelope(request.body);
  const declaration = activityNamed(request.endpoint);
  // A type that does not belong to the endpoint is refused before the stamp is looked at.
  versionOf(declaration, sent.type);
  const envelope = { ...sent, type: typeReadAs(declaration, sent) };
  assertAddressedTo(brought, { declaration, envelope, stamp: request.stamp });
  assertParentBrought(declaration, brought);

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
  if (newcomer) return { ...submission, who: newcomer, decider: organization };
  const stamp = parseStamp(request.stamp, declaration.takesAttestedStamp);
  const stamped = { stamp, body: bytes, stampKeys: core.stampKeys, nowMs };
  const sessions = records.bound.filter(isOfType("sessions")).map(({ body }) => body);
  const parent = parentOf(brought, { declaration, stamp, sessions });
  const who = parent
    ? authenticate({
        ...stamped,
        organization: parent,
        sessions: [],
        origins: () => originsOf(parent.document, null),
      })
    : authenticate({
        ...stamped,
        organization,
        sessions,
        origins,
        attestations: attestationsOf(submission),
      });
  return { ...submission, who, decider: parent ?? organization };
}

/** What the tokens of attested stamps are verified with. */
function attestationsOf({
  core,
  document,
  parent,
  registrations,
  nowMs,
}: Omit<Submission, "who" | "decider">): Attestations {
  const readToken = (token: string) => readVerificationToken(token, core.verificationKey);
  return { document, parent, registrations, nowMs, readToken };
}

/**
 * The parent, if it may send the request and one of its users holds the credential. A user of the
 * organization itself comes first.
 */
function parentOf(
  { organization, parent }: BroughtRecords,
  {
    declaration,
    stamp,
    sessions,
  }: { declaration: ActivityDeclaration; stamp: Stamp; sessions: Sessions[] },
): Organization | null {
  if (!declaration.parentMaySubmit || !parent) return null;
  if (findLongLived(organization, stamp) || !findLongLived(parent, stamp)) return null;
  const isSession = sessions.some(({ entries }) =>
    entries.some(
      ({ credential }) => !isPasskeyStamp(stamp) && credential.publicKey === stamp.publicKey,
    ),
  );
  return isSession ? null : parent;
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
  if (!findLongLived(parent, parseStamp(stamp, declaration.takesAttestedStamp))) return;
  throw recordRefused("a user of the parent, which the request names, holds the credential");
}
