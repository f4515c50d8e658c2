import { randomUUID } from "node:crypto";
import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { createCore } from "../door/create-core.ts";
import { testCourier } from "../messages.testing.ts";
import type { StampHeader } from "../people/authenticate.ts";
import { type ActivityRecord, activity as activityKind } from "../records/activity.ts";
import { frozenKeyring } from "../records/frozen.testing.ts";
import { upcast } from "../records/kind.ts";
import {
  newOrganizationDocument,
  type OrganizationDocument,
  organization,
  type User,
} from "../records/organization.ts";
import { readRecord, recordDigest } from "../records/record.ts";
import { notarizeDocument, notarizeRecord } from "../records/write.ts";
import type { CoreEvent, Marks } from "./core.ts";
import type { Answer, Proposal } from "./protocol.ts";

// The core alone, without a host, a database or marks. A test brings the records itself, so it can
// ask about any state in a few milliseconds.

export type TestPerson = { userId: string; privateKey: Uint8Array; publicKey: string };

export type TestCore = {
  clock: { nowMs: number };
  events: CoreEvent[];
  /** Notarizes a document of the test's choice. */
  notarized(document: OrganizationDocument): Uint8Array;
  notarizedActivity(activity: ActivityRecord): Uint8Array;
  /** Stamps a request, and brings it with these records. */
  ask(
    by: TestPerson,
    request: { endpoint: string; body: string },
    records: readonly Uint8Array[],
  ): Answer;
  /** Brings a request that somebody stamped in another way. */
  askStamped(
    stamp: StampHeader,
    request: { endpoint: string; body: Uint8Array },
    records: readonly Uint8Array[],
  ): Answer;
  bodyOf(what: { type: string; parameters: object; timestampMs?: number }): string;
};

export const testOrganizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";

export function createTestCore(): TestCore {
  const clock = { nowMs: 1_767_225_600_000 };
  const events: CoreEvent[] = [];
  // Every document is as new as any other.
  const marks = {
    isConfirmed: () => true,
    move() {},
    hasMovedLately: () => false,
    newest: () => null,
    knows: () => false,
    reaches: () => true,
    isFromBefore: () => false,
    extend() {},
  };
  const handle = createCore({
    keyring: frozenKeyring,
    marks: marks satisfies Marks,
    now: () => clock.nowMs,
    random: randomBytes,
    log: (event) => void events.push(event),
    courierKey: () => testCourier.publicKey,
  });
  let version = 0;
  const askStamped: TestCore["askStamped"] = (stamp, request, records) =>
    handle({
      call: "submit",
      ...request,
      stamp,
      records: records.map(recordDigest),
      attachments: [...records],
    });
  return {
    clock,
    events,
    notarized(document) {
      version += 1;
      return notarizeDocument(frozenKeyring, document, version).bytes;
    },
    notarizedActivity(activity) {
      const place = { organizationId: testOrganizationId, id: activity.activityId, version: 1 };
      return notarizeRecord(frozenKeyring, activityKind, place, activity).bytes;
    },
    bodyOf: ({ type, parameters, timestampMs = clock.nowMs }) =>
      JSON.stringify({
        type,
        timestampMs: String(timestampMs),
        organizationId: testOrganizationId,
        parameters,
      }),
    ask({ privateKey }, { endpoint, body: text }, records) {
      const scheme = "SIGNATURE_SCHEME_TK_API_P256";
      const body = encodeUtf8(text);
      const value = createApiKeyStamp({ privateKey, scheme }, body);
      return askStamped({ name: "X-Stamp", value }, { endpoint, body }, records);
    },
    askStamped,
  };
}

export function newPerson(userId: string = randomUUID()): TestPerson {
  const privateKey = generatePrivateKey("CURVE_P256");
  return { userId, privateKey, publicKey: encodeHex(publicKeyOf("CURVE_P256", privateKey)) };
}

/** A user with one long-lived key for each person of the same id. */
export function userOf(...keys: [TestPerson, ...TestPerson[]]): User {
  const [{ userId }] = keys;
  const times = { createdAtMs: 0, updatedAtMs: 0 };
  return {
    userId,
    userName: `user ${userId}`,
    userEmail: null,
    userPhoneNumber: null,
    apiKeys: keys.map(({ publicKey }) => ({
      apiKeyId: `id of ${publicKey}`,
      apiKeyName: "laptop",
      credential: { publicKey, type: "CREDENTIAL_TYPE_API_KEY_P256" },
      ...times,
    })),
    userTags: [],
    authenticators: [],
    oauthProviders: [],
    sessionEpoch: 0,
    sessionEpochStartedAtMs: 0,
    keyEpochs: [],
    isEmailVerified: false,
    isPhoneNumberVerified: false,
    ...times,
  };
}

export function documentWith(
  given: Pick<OrganizationDocument, "users" | "rootQuorum"> & Partial<OrganizationDocument>,
): OrganizationDocument {
  return newOrganizationDocument({
    organizationId: testOrganizationId,
    organizationName: "Acme",
    createdAtMs: 0,
    ...given,
  });
}

/** What a proposal makes of the activity and of the document. */
export function proposed(answer: Answer): {
  activity: ActivityRecord;
  record: Uint8Array;
  document: OrganizationDocument | undefined;
  proposal: Proposal;
} {
  if (answer.kind !== "proposal") throw new Error(`no proposal: ${JSON.stringify(answer)}`);
  const [record = new Uint8Array(), ...others] = answer.attachments;
  const next = others
    .map((each) => readRecord(each))
    .find(({ header }) => {
      return header.type === organization.type;
    });
  return {
    activity: upcast(activityKind, readRecord(record)),
    record,
    document: next && upcast(organization, next),
    proposal: answer,
  };
}
