import { encodeUtf8 } from "@keyhearth/crypto/encoding";
import { fingerprint as fingerprintOf } from "@keyhearth/crypto/fingerprint";
import { type ApiKeyStamp, curveOfScheme, verifyApiKeyStamp } from "@keyhearth/crypto/stamp";
import { createOrganization, type NewOrganization } from "../activities/create-organization.ts";
import type { Core } from "../door/core.ts";
import type { Answer, Submit } from "../door/protocol.ts";
import { alreadyExecuted, FOUNDED, invalid, unauthenticated } from "../errors.ts";
import type { ApiKeyParamsV2 } from "../fields.ts";
import { deriveId, deriveTimeOrderedId } from "../keys/ids.ts";
import { parseStamp } from "../people/authenticate.ts";
import { checkApiKey, createUser } from "../people/users.ts";
import type { ActivityRecord } from "../records/activity.ts";
import { newOrganizationDocument } from "../records/organization.ts";
import { notarizeDocument } from "../records/write.ts";
import { assertLive, type Envelope, parseEnvelope, parseIntent } from "./envelope.ts";
import { propose } from "./propose.ts";

/**
 * Founds a top-level organization. The request must be stamped with the credential that it registers,
 * so that its sender gains nothing except a new organization. The organization's id is derived from
 * the request's bytes; the id in the envelope is not used.
 */
export function foundOrganization(core: Core, request: Submit): Answer {
  const nowMs = core.now();
  const founding = readFounding(request);
  const { envelope, parameters, apiKey, fingerprint } = founding;
  // The host must not choose the id: it could name a sub-organization that was just proposed.
  const organizationId = deriveId(core.keyring, `founding|${fingerprint}`);
  if (core.marks.knows(organizationId)) {
    throw alreadyExecuted([{ "@type": FOUNDED, organizationId }]);
  }
  assertLive(envelope, nowMs);

  const newId = (name: string) =>
    deriveId(core.keyring, `${organizationId}|${fingerprint}|${name}`);
  const { organizationName, rootEmail, rootUserName = rootEmail ?? "Root user" } = parameters;
  const { user } = createUser(
    { userName: rootUserName, userEmail: rootEmail, apiKeys: [apiKey] },
    { userId: newId("user"), newId, nowMs },
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
    prove: envelope.generateAppProofs,
    nowMs,
  });
}

type Founding = {
  envelope: Envelope;
  parameters: NewOrganization;
  apiKey: ApiKeyParamsV2;
  body: string;
  fingerprint: string;
  stamp: ApiKeyStamp;
};

/** The request, once its stamp and the key that it registers have been checked. */
function readFounding(request: Submit): Founding {
  const envelope = parseEnvelope(request.body);
  // The declaration's schemas and its `upgrade` produce this shape.
  const parameters = parseIntent(createOrganization, envelope) as NewOrganization;
  const apiKey = readApiKey(parameters);
  const stamp = parseStamp(request.stamp);
  const bytes = encodeUtf8(request.body);
  const isOwnKey =
    stamp.publicKey === apiKey.publicKey && curveOfScheme(stamp.scheme) === apiKey.curveType;
  if (!isOwnKey || !verifyApiKeyStamp(stamp, bytes)) {
    throw unauthenticated("STAMP_INVALID", "the request must be stamped with the key it registers");
  }
  const fingerprint = fingerprintOf(bytes);
  return { envelope, parameters, apiKey, body: request.body, fingerprint, stamp };
}

function readApiKey({ rootApiKey: apiKey }: NewOrganization): ApiKeyParamsV2 {
  const field = "parameters.rootApiKey";
  if (!apiKey) throw invalid(field, `missing field \`${field}\`: the key that stamps this request`);
  if (apiKey.expirationSeconds !== undefined) {
    throw invalid(`${field}.expirationSeconds`, "the first key must not expire");
  }
  checkApiKey(apiKey, field, new Set());
  return apiKey;
}
/** The founding as the organization's first activity. */
function foundingActivity(
  { envelope, body, fingerprint, stamp }: Founding,
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
    type: envelope.type,
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
