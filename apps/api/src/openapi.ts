import { writeFileSync } from "node:fs";
import { encodeUtf8 } from "@keyhearth/crypto/encoding";
import { fingerprint } from "@keyhearth/crypto/fingerprint";
import { createWallet } from "@keyhearth/engine/activities/create-wallet";
import { activities } from "@keyhearth/engine/activities/index";
import type { ActivityDeclaration } from "@keyhearth/engine/define";
import { OrganizationId } from "@keyhearth/engine/fields";
import type { ActivityRecord, Vote } from "@keyhearth/engine/records/activity";
import type { OrganizationDocument, User } from "@keyhearth/engine/records/organization";
import * as z from "zod";
import packageJson from "../package.json" with { type: "json" };
import { ActivityResponse, Any, intents, named, schemaName } from "./objects.ts";
import type { QueryDeclaration } from "./queries/define.ts";
import { queries } from "./queries/index.ts";
import { renderActivity } from "./render.ts";

/** Declarations to `contract/openapi.json`: all that service, SDK and website share. */

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
};

type Content = { "application/json": { schema: Schema; example?: unknown } };

export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  requestBody: { required: true; content: Content };
  responses: Record<"200" | "default", { description: string; content: Content }>;
  "x-policy"?: { resource: string; action: string };
  "x-activity"?: {
    defaultType: string;
    versions: {
      type: string;
      intentKey: string;
      resultKey: string;
      parameters: Schema;
      result?: Schema;
    }[];
  };
};

export type OpenApi = {
  "x-generated": string;
  openapi: string;
  info: Record<string, unknown>;
  servers: { url: string; description: string }[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, { post: Operation }>;
  components: { securitySchemes: Record<string, unknown>; schemas: Record<string, Schema> };
};

const tags: Record<string, string> = {
  Organizations: "Organizations and sub-organizations, their root quorum and features.",
  Sessions: "Whose credential it is.",
  Users: "The people and programs of an organization.",
  "User Tags": "Tags that group users.",
  "API Keys": "Public keys that users stamp requests with.",
  Wallets: "Seeds, and the accounts derived from them.",
  "Private Keys": "Keys that belong to no wallet.",
  Signing: "Signatures by wallet accounts and private keys.",
  Activities: "What was asked for, and what became of it.",
  Consensus: "Votes on activities that need more than one approval.",
};

const ErrorObject = z
  .object({
    code: z
      .int()
      .describe("Number of the error's code in `google.rpc.Code`.")
      .meta({ format: "int32", examples: [3] }),
    message: z
      .string()
      .describe("What went wrong, for people.")
      .meta({ examples: ["wallet not found: `7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f`"] }),
    details: z
      .array(Any)
      .describe(
        "Facts for programs. The first entry has `code`, the stable name of the error; `field`, the path of the field at fault, if there is one; and `docs`, the page that explains it.",
      ),
  })
  .describe("An error.")
  .meta({ id: "Error" });

export function createOpenApi(): OpenApi {
  const schemas = createSchemas();
  const paths: OpenApi["paths"] = {};
  for (const query of queries) {
    paths[`/public/v1/query/${query.name}`] = { post: queryOperation(query, schemas) };
  }
  for (const activity of activities) {
    paths[`/public/v1/submit/${activity.name}`] = { post: submitOperation(activity, schemas) };
  }
  const used = new Set([...queries, ...activities].map(({ tag }) => tag));
  return {
    "x-generated":
      "From the declarations of activities and queries by npm run generate. Do not edit.",
    openapi: "3.1.0",
    info: {
      title: "Keyhearth API",
      version: packageJson.version,
      description:
        "Keys and wallets behind a signer. Submissions change something or use a key and answer with an activity; queries read. Every request is a POST with a JSON body and carries a stamp: a signature over the exact bytes of the body.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The service that serves this document." }],
    security: [{ stamp: [] }],
    tags: [...used]
      .map((name) => ({ name, description: tags[name] ?? "" }))
      .sort((a, b) => Object.keys(tags).indexOf(a.name) - Object.keys(tags).indexOf(b.name)),
    paths,
    components: {
      securitySchemes: {
        stamp: {
          type: "apiKey",
          in: "header",
          name: "X-Stamp",
          description:
            "Base64url of the JSON `{publicKey, scheme, signature}`: a signature over the exact bytes of the body by an API key.",
        },
      },
      schemas,
    },
  };
}

/** All named schemas. Two that differ under one name are an error of the conversion. */
function createSchemas(): Record<string, Schema> {
  const roots: Record<string, z.ZodType> = { ActivityResponse, Error: ErrorObject };
  for (const { requestName, request, responseName, response, summary } of queries) {
    roots[requestName] = named(request, requestName, `Request of “${summary}”.`);
    roots[responseName] = named(response, responseName, `Answer of “${summary}”.`);
  }
  for (const activity of activities) roots[requestNameOf(activity)] = requestSchema(activity);
  const { $defs = {} } = z.toJSONSchema(z.object(roots), { io: "input", override: asOnTheWire });
  const schemas: Record<string, Schema> = {};
  for (const name of Object.keys($defs).sort()) {
    // Every reference points into the components.
    const text = JSON.stringify($defs[name]).replaceAll("#/$defs/", "#/components/schemas/");
    const { id: _, ...schema } = JSON.parse(text);
    schemas[name] = schema;
  }
  return schemas;
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>;

/** A list is required on the wire, though leaving it out is forgiven; the rest is tidying up. */
const asOnTheWire: Override = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === "object" && jsonSchema.properties) {
    const keys = Object.entries(def.shape)
      .filter(([key, field]) => jsonSchema.required?.includes(key) || isList(field))
      .map(([key]) => key);
    if (keys.length > 0) jsonSchema.required = keys;
    else delete jsonSchema.required;
  }
  if (isList(zodSchema)) delete jsonSchema.default;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // The conversion drops examples of values that are normalized.
  const examples = z.globalRegistry.get(zodSchema)?.examples;
  if (Array.isArray(examples)) jsonSchema.examples = examples;
};

function isList(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodDefault && Array.isArray(schema.def.defaultValue);
}

function requestNameOf({ name }: { name: string }): string {
  return `${schemaName(operationId(name))}Request`;
}

function requestSchema(activity: ActivityDeclaration): z.ZodObject {
  const accepted = Object.values(activity.versions).map(({ intentKey }) => {
    const intent = intents.get(intentKey);
    if (!intent) throw new Error(`no schema is named ${intentKey}`);
    return intent;
  });
  const [only] = accepted;
  const parameters = only && accepted.length === 1 ? only : z.union(accepted);
  return z
    .object({
      type: z
        .enum(Object.keys(activity.versions))
        .describe("Type of the activity; it decides the shape of `parameters`."),
      timestampMs: z
        .string()
        .describe(
          "Now, in milliseconds since 1970-01-01 UTC, a decimal string: at most an hour old and five minutes ahead.",
        )
        .meta({ examples: [EXAMPLE_TIMESTAMP] }),
      organizationId: OrganizationId,
      parameters: parameters.describe("What is asked for."),
      generateAppProofs: z
        .boolean()
        .describe("Whether the answer shall carry a signed statement of the outcome.")
        .optional(),
    })
    .describe(`Request of “${activity.summary}”.`)
    .meta({ id: requestNameOf(activity) });
}

function queryOperation(
  { name, tag, summary, description, requestName, responseName, example }: QueryDeclaration,
  schemas: Record<string, Schema>,
): Operation {
  return {
    operationId: operationId(name),
    tags: [tag],
    summary,
    description,
    requestBody: { required: true, content: json(reference(requestName), example) },
    responses: {
      "200": {
        description: "The answer.",
        content: json(reference(responseName), sampleOf(reference(responseName), schemas)),
      },
      default: errorResponse(),
    },
  };
}

function submitOperation(
  activity: ActivityDeclaration,
  schemas: Record<string, Schema>,
): Operation {
  const { name, tag, summary, description, policy, defaultType, versions } = activity;
  return {
    operationId: operationId(name),
    tags: [tag],
    summary,
    description,
    requestBody: {
      required: true,
      content: json(reference(requestNameOf(activity)), exampleRequest(activity)),
    },
    responses: {
      "200": {
        description: "The activity, completed or waiting for consensus.",
        content: json(reference("ActivityResponse"), exampleAnswer(activity, schemas)),
      },
      default: errorResponse(),
    },
    "x-policy": policy,
    "x-activity": {
      defaultType,
      versions: Object.entries(versions).map(([type, { intentKey, resultKey }]) => ({
        type,
        intentKey,
        resultKey,
        parameters: reference(schemaName(intentKey)),
        ...(resultKey === "*" ? {} : { result: reference(schemaName(resultKey)) }),
      })),
    },
  };
}

function errorResponse() {
  return { description: "The request was refused.", content: json(reference("Error")) };
}

function json(schema: Schema, example?: unknown): Content {
  return { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
}

function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function operationId(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const EXAMPLE_SIGNATURE =
  "3045022100e3b1c2a4f5d60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9002200a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";
const EXAMPLE_TIMESTAMP = "1767225600000";
const EXAMPLE_ORGANIZATION_ID = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";

function exampleRequest({ defaultType, example }: ActivityDeclaration): Record<string, unknown> {
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
  sessionEpoch: 0,
  createdAtMs: Number(EXAMPLE_TIMESTAMP),
  updatedAtMs: Number(EXAMPLE_TIMESTAMP),
};

const EXAMPLE_DOCUMENT: OrganizationDocument = {
  organizationId: EXAMPLE_ORGANIZATION_ID,
  organizationName: "Acme",
  parentOrganizationId: null,
  previousDigest: null,
  createdAtMs: Number(EXAMPLE_TIMESTAMP),
  updatedAtMs: Number(EXAMPLE_TIMESTAMP),
  users: [EXAMPLE_USER],
  userTags: [],
  privateKeyTags: [],
  rootQuorum: { threshold: 1, userIds: [EXAMPLE_USER.userId] },
  features: [],
  wallets: [],
  privateKeys: [],
  closed: [],
  decided: [],
  decidedBeforeMs: 0,
};

/** The activity that the example request leads to, rendered as the service renders one. */
function exampleAnswer(declaration: ActivityDeclaration, schemas: Record<string, Schema>) {
  // A vote is answered with the activity that it decided.
  const target = declaration.vote ? createWallet : declaration;
  const isRejected = declaration.vote === "VOTE_SELECTION_REJECTED";
  const { defaultType, versions } = target;
  const message = JSON.stringify(exampleRequest(target));
  const nowMs = Number(EXAMPLE_TIMESTAMP);
  const vote: Vote = {
    voteId: "019a9a51-7c40-7b52-9d10-6c7d8e9f0011",
    userId: EXAMPLE_USER.userId,
    documentVersion: 1,
    selection: "VOTE_SELECTION_APPROVED",
    message,
    publicKey: EXAMPLE_USER.apiKeys[0]?.credential.publicKey ?? "",
    signature: EXAMPLE_SIGNATURE,
    scheme: "SIGNATURE_SCHEME_TK_API_P256",
    sessionEpoch: null,
    createdAtMs: nowMs,
  };
  const result = sampleOf(reference(schemaName(versions[defaultType]?.resultKey ?? "")), schemas);
  const activity: ActivityRecord = {
    activityId: "019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00",
    type: defaultType,
    status: isRejected ? "ACTIVITY_STATUS_REJECTED" : "ACTIVITY_STATUS_COMPLETED",
    fingerprint: fingerprint(encodeUtf8(message)),
    windowStartedAtMs: nowMs,
    votes: [vote],
    // A sample of the result's schema, which is an object.
    result: isRejected ? null : (result as Record<string, unknown>),
    failure: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    documentVersion: 1,
    documentDigest: "",
    appProofs: [],
  };
  const viewer = EXAMPLE_USER;
  const view = { activity, document: EXAMPLE_DOCUMENT, voterOf: () => viewer, viewer, nowMs };
  return { activity: renderActivity(view) };
}

/** A value that fits the schema: its examples, and the fields that an answer always has. */
function sampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  if (schema.$ref) {
    const name = schema.$ref.slice("#/components/schemas/".length);
    if (name === "Activity") return exampleAnswer(createWallet, schemas).activity;
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
          .map(([key, property]) => [key, sampleOf(property, schemas)]),
      );
    }
    case "array":
      return schema.items ? [sampleOf(schema.items, schemas)] : [];
    case "boolean":
      return false;
    case "integer":
      return 1;
    default:
      return "…";
  }
}

if (import.meta.main) {
  const file = new URL("../../../contract/openapi.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(createOpenApi(), null, 2)}\n`);
}
