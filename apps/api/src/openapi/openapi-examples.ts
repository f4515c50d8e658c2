import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { createWallet } from "@keyhearth/engine/activities/create-wallet";
import type { ActivityDeclaration } from "@keyhearth/engine/declare/define";
import type { ActivityRecord, Vote } from "@keyhearth/engine/records/activity";
import { newOrganizationDocument, type User } from "@keyhearth/engine/records/organization";
import { renderActivity } from "../presentation/render.ts";
import { schemaName } from "../wire/objects.ts";
import type { Schema } from "./openapi-document.ts";

/** Examples of requests and answers for the contract, all from one made-up organization. */

const EXAMPLE_SIGNATURE =
  "3045022100e3b1c2a4f5d60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9002200a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";
export const EXAMPLE_TIMESTAMP = "1767225600000";
const EXAMPLE_ORGANIZATION_ID = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";

/** An example of a submission, with its envelope. */
export function exampleRequest({
  defaultType,
  example,
}: ActivityDeclaration): Record<string, unknown> {
  return {
    type: defaultType,
    timestampMs: EXAMPLE_TIMESTAMP,
    organizationId: EXAMPLE_ORGANIZATION_ID,
    parameters: example,
  };
}

const EXAMPLE_USER: User = {
  userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
  userName: "Ada",
  userEmail: "ada@example.com",
  userPhoneNumber: null,
  apiKeys: [
    {
      apiKeyId: "9e405f6b-ad87-4db1-9c81-304d5e6f7081",
      apiKeyName: "laptop",
      credential: {
        publicKey: "037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
        type: "CREDENTIAL_TYPE_API_KEY_P256",
      },
      createdAtMs: Number(EXAMPLE_TIMESTAMP),
      updatedAtMs: Number(EXAMPLE_TIMESTAMP),
    },
  ],
  userTags: [],
  authenticators: [],
  oauthProviders: [],
  sessionEpoch: 0,
  sessionEpochStartedAtMs: 0,
  keyEpochs: [],
  isEmailVerified: false,
  isPhoneNumberVerified: false,
  createdAtMs: Number(EXAMPLE_TIMESTAMP),
  updatedAtMs: Number(EXAMPLE_TIMESTAMP),
};

const EXAMPLE_DOCUMENT = newOrganizationDocument({
  organizationId: EXAMPLE_ORGANIZATION_ID,
  organizationName: "Acme",
  createdAtMs: Number(EXAMPLE_TIMESTAMP),
  users: [EXAMPLE_USER],
  rootQuorum: { threshold: 1, userIds: [EXAMPLE_USER.userId] },
});

/** The activity that the example request results in, as the service would show it. */
export function exampleAnswer(declaration: ActivityDeclaration, schemas: Record<string, Schema>) {
  // The answer to a vote is the activity that the vote completes or rejects.
  const target = declaration.vote ? createWallet : declaration;
  const isRejected = declaration.vote === "VOTE_SELECTION_REJECTED";
  const { defaultType, versions } = target;
  const message = JSON.stringify(exampleRequest(target));
  const nowMs = Number(EXAMPLE_TIMESTAMP);
  const vote: Vote = {
    voteId: "019a9a51-7c40-7b52-9d10-6c7d8e9f0011",
    userId: EXAMPLE_USER.userId,
    documentVersion: 1,
    isParents: false,
    selection: "VOTE_SELECTION_APPROVED",
    message,
    publicKey: EXAMPLE_USER.apiKeys[0]?.credential.publicKey ?? "",
    signature: EXAMPLE_SIGNATURE,
    scheme: "SIGNATURE_SCHEME_TK_API_P256",
    sessionEpoch: null,
    credential: null,
    outcomes: "",
    createdAtMs: nowMs,
  };
  const result = sampleOf(
    schemas[schemaName(versions[defaultType]?.resultKey ?? "")] ?? {},
    schemas,
  );
  const activity: ActivityRecord = {
    activityId: "019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00",
    type: defaultType,
    status: isRejected ? "ACTIVITY_STATUS_REJECTED" : "ACTIVITY_STATUS_COMPLETED",
    fingerprint: fingerprint(encodeUtf8(message)),
    waitingState: null,
    windowStartedAtMs: nowMs,
    votes: [vote],
    // A sample of the result's schema, and results are objects.
    result: isRejected ? null : (result as Record<string, unknown>),
    sealedResult: null,
    failure: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    documentVersion: 1,
    documentDigest: "",
    appProofs: [],
  };
  const viewer = EXAMPLE_USER;
  const view = {
    activity,
    document: EXAMPLE_DOCUMENT,
    voterOf: () => viewer,
    viewer,
    mayVote: true,
    mayReject: true,
    warnings: [],
    nowMs,
  };
  return { activity: renderActivity(view) };
}

/** A long or secret text. */
const LEFT_OUT = "…";

/** Objects whose members belong together. */
const OBJECTS: Readonly<Record<string, unknown>> = {
  Feature: { name: "FEATURE_NAME_WEBAUTHN_ORIGINS", value: "https://app.example.com" },
};

/** Texts of answers that no schema has an example of, by the name of their member. */
const TEXTS: Readonly<Record<string, string>> = {
  organizationName: "Acme",
  username: "Ada",
  url: "https://example.com/webhooks",
  name: "audit log",
};

/** A value that fits the schema: its examples, and the fields that an answer always has. */
export function sampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  if (schema.$ref) {
    const name = schema.$ref.slice("#/components/schemas/".length);
    if (name === "Activity") return exampleAnswer(createWallet, schemas).activity;
    if (Object.hasOwn(OBJECTS, name)) return OBJECTS[name];
    const target = schemas[name];
    if (!target) throw new Error(`no schema for ${schema.$ref}`);
    return sampleOf(target, schemas);
  }
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf?.[0]) return sampleOf(schema.anyOf[0], schemas);
  switch (schema.type) {
    case "object": {
      const { properties = {}, required = Object.keys(properties) } = schema;
      return Object.fromEntries(
        Object.entries(properties)
          .filter(([key]) => required.includes(key))
          .map(([key, property]) => {
            const value = sampleOf(property, schemas);
            return [key, value === LEFT_OUT ? (TEXTS[key] ?? value) : value];
          }),
      );
    }
    case "array":
      return schema.items ? [sampleOf(schema.items, schemas)] : [];
    case "boolean":
      return false;
    case "integer":
      return 1;
    default:
      return LEFT_OUT;
  }
}
