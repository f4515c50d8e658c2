import { writeFileSync } from "node:fs";
import { activities } from "@keyhearth/engine/activities/index";
import { OrganizationId } from "@keyhearth/engine/fields";
import type { ActivityDeclaration } from "@keyhearth/engine/submission/define";
import * as z from "zod";
import packageJson from "../../package.json" with { type: "json" };
import type { QueryDeclaration } from "../queries/define.ts";
import { queries } from "../queries/index.ts";
import { ActivityResponse, Any, intents, named, schemaName } from "./objects.ts";
import { EXAMPLE_TIMESTAMP, exampleAnswer, exampleRequest, sampleOf } from "./openapi-examples.ts";

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
  Policies: "Rules about who may do what, and the interfaces of contracts that they read calls by.",
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

if (import.meta.main) {
  const file = new URL("../../../../contract/openapi.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(createOpenApi(), null, 2)}\n`);
}
