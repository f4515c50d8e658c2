import { encodeUtf8 } from "@keyhearth/crypto/encoding";
import { fingerprint as fingerprintOf } from "@keyhearth/crypto/fingerprint";
import * as z from "zod";
import type { Core } from "../door/core.ts";
import type { Answer, Submit } from "../door/protocol.ts";
import { alreadyExecuted, invalid } from "../errors.ts";
import { ApiKeyParamsV2, Email, label } from "../fields.ts";
import { deriveId, deriveTimeOrderedId } from "../keys/ids.ts";
import { parseFields } from "../parse-fields.ts";
import type { Verdicts } from "../people/attestation-statements.ts";
import type { Authenticated } from "../people/authenticate.ts";
import { verifyOwnStamp } from "../people/own-stamp.ts";
import { createRegistrations } from "../people/registrations.ts";
import { checkApiKeys, createUser } from "../people/users.ts";
import { type ActivityRecord, FOUND_TYPE } from "../records/activity.ts";
import { newOrganizationDocument } from "../records/organization.ts";
import { notarizeDocument } from "../records/write.ts";
import { assertLive, parseEnvelope } from "./envelope.ts";
import { propose } from "./propose.ts";

const intent = z.strictObject({
  organizationName: label("Name of the organization."),
  rootUserName: label("Name of the first root user."),
  rootUserEmail: Email.optional(),
  apiKey: ApiKeyParamsV2,
});

/**
 * Founds a top-level organization. The request must be stamped with the key that it registers, so
 * that its sender gains nothing except a new organization. The organization's id is derived from the
 * request's bytes; the id in the envelope is not used.
 */
export function foundOrganization(core: Core, request: Submit, verdicts: Verdicts): Answer {
  const nowMs = core.now();
  // A new organization has no list of origins.
  const registrations = createRegistrations({ origins: () => ["*"], verdicts });
  const founding = readFounding(request, nowMs);
  const { organizationName, rootUserName, rootUserEmail, apiKey } = founding.parameters;
  const { fingerprint } = founding;
  // The host must not choose the id: it could name a sub-organization that was just proposed.
  const organizationId = deriveId(core.keyring, `founding|${fingerprint}`);
  if (core.marks.knows(organizationId)) throw alreadyExecuted();
  const newId = (name: string) =>
    deriveId(core.keyring, `${organizationId}|${fingerprint}|${name}`);
  const { user } = createUser(
    { userName: rootUserName, userEmail: rootUserEmail, apiKeys: [apiKey], authenticators: [] },
    { userId: newId("user"), newId, nowMs, registrations },
  );
  const document = newOrganizationDocument({
    organizationId,
    organizationName,
    createdAtMs: nowMs,
    users: [user],
    rootQuorum: { threshold: 1, userIds: [user.userId] },
  });
  const written = notarizeDocument(core.keyring, document, 1);
  const held = core.held.add(written.bytes);
  const activity = foundingActivity(founding, {
    activityId: deriveTimeOrderedId(core.keyring, `${organizationId}|${fingerprint}`, nowMs),
    voteId: newId("vote"),
    userId: user.userId,
    organizationId,
    documentDigest: held.digest,
    nowMs,
  });
  return propose(core, {
    held,
    document,
    activity,
    activityVersion: 1,
    draft: null,
    written: [written],
    isSecret: false,
    prove: false,
    nowMs,
  });
}

type Founding = {
  parameters: z.output<typeof intent>;
  body: string;
  fingerprint: string;
  stamp: Authenticated["stamp"];
};

/** The request, once its stamp, its age and the key that it registers have been checked. */
function readFounding(request: Submit, nowMs: number): Founding {
  const envelope = parseEnvelope(request.body);
  const parameters = parseFields(intent, envelope.parameters, "parameters");
  const { apiKey } = parameters;
  assertLive(envelope, nowMs);
  if (envelope.type !== FOUND_TYPE) throw invalid("type", `expected ${FOUND_TYPE}`);
  if (apiKey.expirationSeconds !== undefined) {
    throw invalid("parameters.apiKey.expirationSeconds", "the first key must not expire");
  }
  checkApiKeys([apiKey], "parameters.apiKey", new Set());

  const bytes = encodeUtf8(request.body);
  const stamp = verifyOwnStamp(request.stamp, bytes, { apiKeys: [apiKey] });
  return { parameters, body: request.body, fingerprint: fingerprintOf(bytes), stamp };
}

/** The founding as the organization's first activity. */
function foundingActivity(
  { body, fingerprint, stamp }: Founding,
  {
    activityId,
    voteId,
    userId,
    organizationId,
    documentDigest,
    nowMs,
  }: Record<"activityId" | "voteId" | "userId" | "organizationId" | "documentDigest", string> & {
    nowMs: number;
  },
): ActivityRecord {
  return {
    activityId,
    type: FOUND_TYPE,
    status: "ACTIVITY_STATUS_COMPLETED",
    fingerprint,
    windowStartedAtMs: nowMs,
    votes: [
      {
        voteId,
        userId,
        documentVersion: 1,
        selection: "VOTE_SELECTION_APPROVED",
        message: body,
        publicKey: stamp.publicKey,
        signature: stamp.signature,
        scheme: stamp.scheme,
        sessionEpoch: null,
        credential: null,
        outcomes: "",
        createdAtMs: nowMs,
      },
    ],
    result: { organizationId, userId },
    sealedResult: null,
    failure: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    documentVersion: 1,
    documentDigest,
    appProofs: [],
  };
}
