import { fingerprint as fingerprintOf } from "@keyhearth/crypto/stamps/fingerprint";
import type { Core } from "../core/core.ts";
import type { Answer, Submit } from "../core/protocol.ts";
import { alreadyExecuted, FOUNDED, invalid } from "../errors.ts";
import { checkApiKey } from "../people/api-keys.ts";
import type { Verdicts } from "../people/attestation-statements.ts";
import { type Authenticated, parseStamp } from "../people/authenticate.ts";
import { createRegistrations, type Registrations } from "../people/passkey-registrations.ts";
import { verifySelfStamp } from "../people/self-stamp.ts";
import { createUser } from "../people/users.ts";
import type { ActivityRecord } from "../records/activity.ts";
import { newOrganizationDocument } from "../records/organization.ts";
import { notarizeDocument } from "../records/write.ts";
import {
  assertLive,
  type Envelope,
  parseEnvelope,
  parseIntent,
  textOf,
} from "../submission/envelope.ts";
import { propose } from "../submission/propose.ts";
import { deriveId, deriveTimeOrderedId } from "../vault/ids.ts";
import { createOrganization, type NewOrganization } from "./create-organization.ts";

/**
 * Decides about the founding of a top-level organization. The request must be stamped with the credential that it registers,
 * so that its sender gains nothing except a new organization. The organization's id is derived from
 * the request's bytes; the id in the envelope is not used.
 */
export function decideFounding(core: Core, request: Submit, verdicts: Verdicts): Answer {
  const nowMs = core.now();
  // A new organization has no list of origins.
  const registrations = createRegistrations({ origins: () => ["*"], verdicts, nowMs });
  const founding = readFounding(request, registrations);
  const { envelope, parameters, fingerprint } = founding;
  // The host must not choose the id: it could name a sub-organization that was just proposed.
  const derivedId = deriveId(core.keyring, `founding|${fingerprint}`);
  const organizationId = core.foundingIdOf(fingerprint) ?? derivedId;
  if (core.marks.knows(organizationId)) {
    throw alreadyExecuted([{ "@type": FOUNDED, organizationId }]);
  }
  assertLive(envelope, core, nowMs);

  const newId = (name: string) =>
    deriveId(core.keyring, `${organizationId}|${fingerprint}|${name}`);
  const { organizationName, rootEmail, rootApiKey, rootAuthenticator } = parameters;
  const { rootUserName = rootEmail ?? "Root user" } = parameters;
  const { user } = createUser(
    {
      userName: rootUserName,
      userEmail: rootEmail,
      apiKeys: rootApiKey ? [rootApiKey] : [],
      authenticators: rootAuthenticator ? [rootAuthenticator] : [],
    },
    { userId: newId("user"), sessionEpoch: 0, newId, nowMs, registrations, asker: "nobody" },
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
  body: string;
  fingerprint: string;
  stamp: Authenticated["stamp"];
};

/** The request, once its stamp and the credentials that it registers have been checked. */
function readFounding(request: Submit, registrations: Registrations): Founding {
  const body = textOf(request.body);
  const envelope = parseEnvelope(body);
  // The declaration's schemas and its `upgrade` produce this shape.
  const parameters = parseIntent(createOrganization, envelope) as NewOrganization;
  const { rootApiKey, rootAuthenticator } = parameters;
  checkCredentials(parameters);
  const passkeys = rootAuthenticator
    ? [registrations.read(rootAuthenticator, "parameters.rootAuthenticator")]
    : [];
  const apiKeys = rootApiKey ? [rootApiKey] : [];
  const sent = parseStamp(request.stamp);
  const stamp = verifySelfStamp(sent, request.body, { apiKeys, passkeys });
  registrations.assertVerified();
  return { envelope, parameters, body, fingerprint: fingerprintOf(request.body), stamp };
}

function checkCredentials({ rootApiKey, rootAuthenticator }: NewOrganization) {
  const field = "parameters.rootApiKey";
  if (!rootApiKey) {
    if (rootAuthenticator) return;
    throw invalid(
      field,
      `missing field \`${field}\`, or \`parameters.rootAuthenticator\`: the credential that stamps this request`,
    );
  }
  if (rootApiKey.expirationSeconds !== undefined) {
    throw invalid(`${field}.expirationSeconds`, "the first key must not expire");
  }
  checkApiKey(rootApiKey, field, new Set());
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
    waitingState: null,
    windowStartedAtMs: nowMs,
    votes: [
      {
        voteId,
        userId,
        documentVersion: 1,
        isParents: false,
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
