import { activities } from "@keyhearth/engine/activities/index";
import { OrganizationId } from "@keyhearth/engine/fields";
import type { ActivityDeclaration } from "@keyhearth/engine/submission/define";
import * as z from "zod";
import { queries } from "../queries/index.ts";
import { ActivityResponse, Any, intents, named } from "./objects.ts";
import type { Schema } from "./openapi-document.ts";
import { EXAMPLE_TIMESTAMP } from "./openapi-examples.ts";
import { requestNameOf } from "./openapi-names.ts";

/** All named schemas. Two that differ under one name are an error of the conversion. */
export function createSchemas(): Record<string, Schema> {
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
