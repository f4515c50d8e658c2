import { activities } from "@keyhearth/engine/activities/index";
import type { ActivityDeclaration } from "@keyhearth/engine/declare/define";
import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { queries } from "../queries/index.ts";
import { ActivityResponse, Any, intents, named } from "../wire/objects.ts";
import type { Schema } from "./openapi-document.ts";
import { EXAMPLE_TIMESTAMP } from "./openapi-examples.ts";
import { requestNameOf } from "./openapi-names.ts";
import { answerOf, bodyOf, proxyCalls } from "./openapi-proxy.ts";

/**
 * All named schemas, and those of the login proxy's calls, which have no names. The conversion throws if two different schemas
 * have the same name.
 */
export function createSchemas(): { schemas: Record<string, Schema>; inline: typeof schemas } {
  const roots: Record<string, z.ZodType> = { ActivityResponse, Error: ErrorObject };
  for (const { requestName, request, responseName, response, summary } of queries) {
    roots[requestName] = named(request, requestName, `Request of “${summary}”.`);
    roots[responseName] = named(response, responseName, `Answer of “${summary}”.`);
  }
  for (const activity of activities) roots[requestNameOf(activity)] = requestSchema(activity);
  const unnamed = proxyCalls.flatMap((call) => [
    [bodyOf(call), call.body] as const,
    [answerOf(call), call.answers] as const,
  ]);
  const { $defs = {}, properties = {} } = z.toJSONSchema(
    z.object({ ...roots, ...Object.fromEntries(unnamed) }),
    { io: "input", override: asOnTheWire },
  );
  const schemas: Record<string, Schema> = {};
  for (const name of Object.keys($defs).sort()) schemas[name] = inDocument($defs[name]);
  const inline = unnamed.map(([name]) => [name, inDocument(properties[name])] as const);
  return { schemas, inline: Object.fromEntries(inline) };
}

/** Every reference points into the components. */
function inDocument(converted: unknown): Schema {
  const text = JSON.stringify(converted).replaceAll("#/$defs/", "#/components/schemas/");
  const { id: _, ...schema } = JSON.parse(text);
  return schema;
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>["override"]>;

/** Lists are required on the wire, although the service accepts requests without them. */
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
  // The conversion drops the examples of schemas that normalize their value.
  const examples = z.globalRegistry.get(zodSchema)?.examples;
  if (Array.isArray(examples)) jsonSchema.examples = examples;
};

function isList(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodPrefault && Array.isArray(schema.def.defaultValue);
}

const ErrorObject = z
  .object({
    code: z
      .int()
      .describe("The error's code as a number of `google.rpc.Code`.")
      .meta({ format: "int32", examples: [3] }),
    message: z
      .string()
      .describe("What went wrong, for people.")
      .meta({ examples: ["wallet not found: `7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f`"] }),
    details: z
      .array(Any)
      .describe(
        "Facts for programs. The first entry has `code`, the stable name of the error; `field`, the path of the field that is wrong, if there is one; and `docs`, the page that explains the error.",
      ),
  })
  .describe("An error.")
  .meta({ id: "Error" });

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
          "The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in the past and five minutes in the future.",
        )
        .meta({ examples: [EXAMPLE_TIMESTAMP] }),
      organizationId: OrganizationId,
      parameters: parameters.describe("What the activity should do."),
      generateAppProofs: z
        .boolean()
        .describe("Whether to include a signed statement of the outcome in the answer.")
        .optional(),
    })
    .describe(`Request of “${activity.summary}”.`)
    .meta({ id: requestNameOf(activity) });
}
