import { expect, test } from "vitest";
import { type Contract, generate } from "./generate.ts";

function reference(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

const contract: Contract = {
  paths: {
    "/healthz": { post: { operationId: "healthz" } },
    "/public/v1/query/get_thing": {
      post: {
        operationId: "getThing",
        summary: "Get a thing",
        requestBody: { content: { "application/json": { schema: reference("GetThingRequest") } } },
        responses: { "200": { content: { "application/json": { schema: reference("Thing") } } } },
      },
    },
    "/public/v1/submit/create_things": {
      post: {
        operationId: "createThings",
        summary: "Create things",
        description: "Not */ more.",
        "x-activity": {
          defaultType: "ACTIVITY_TYPE_CREATE_THINGS_V2",
          versions: [
            {
              type: "ACTIVITY_TYPE_CREATE_THINGS",
              resultKey: "createThingsResult",
              parameters: reference("CreateThingsIntent"),
              result: reference("CreateThingsResult"),
            },
            {
              type: "ACTIVITY_TYPE_CREATE_THINGS_V2",
              resultKey: "createThingsResult",
              parameters: reference("CreateThingsIntentV2"),
              result: reference("CreateThingsResult"),
            },
          ],
        },
      },
    },
  },
  components: {
    schemas: {
      Color: { type: "string", enum: ["RED", "BLUE"], description: "What it looks like." },
      CreateThingsIntent: { type: "object", properties: {} },
      CreateThingsIntentV2: {
        type: "object",
        required: ["things"],
        properties: { things: { type: "array", items: reference("Thing") } },
      },
      CreateThingsResult: { type: "object", properties: {}, additionalProperties: false },
      GetThingRequest: {
        type: "object",
        required: ["organizationId"],
        properties: { organizationId: { type: "string" } },
      },
      Thing: {
        type: "object",
        required: ["color"],
        properties: {
          color: { ...reference("Color"), description: "Its color." },
          "@type": { const: "thing" },
          name: { type: "string", description: "Its name", minLength: 1, maxLength: 255 },
          sizes: { type: "array", items: { anyOf: [{ type: "integer" }, { type: "null" }] } },
        },
        additionalProperties: {},
      },
    },
  },
};

test("schemas become types, with their descriptions", () => {
  expect(generate(contract).types).toBe(`\
// GENERATED from contract/openapi.json by packages/sdk/scripts/generate.ts. Do not edit.

/** What it looks like. */
export type Color = "RED" | "BLUE";

export type CreateThingsIntent = Record<string, unknown>;

export type CreateThingsIntentV2 = {
  things: Thing[];
};

export type CreateThingsResult = Record<never, never>;

export type GetThingRequest = {
  organizationId: string;
};

export type Thing = {
  /** Its color. */
  color: Color;
  "@type"?: "thing";
  /** Its name. 1 to 255 characters. */
  name?: string;
  sizes?: Array<number | null>;
  [name: string]: unknown;
};
`);
});

test("each operation becomes an exported call, and a version is chosen by its type", () => {
  const { calls } = generate(contract);
  expect(calls).toContain(`\
/** The versions of \`createThings\`, by activity type. */
export type CreateThingsVersions = {
  ACTIVITY_TYPE_CREATE_THINGS: { parameters: CreateThingsIntent; result: CreateThingsResult };
  ACTIVITY_TYPE_CREATE_THINGS_V2: { parameters: CreateThingsIntentV2; result: CreateThingsResult };
};

/**
 * Not *\\/ more.
 *
 * \`options.type\` also takes \`ACTIVITY_TYPE_CREATE_THINGS\`.
 *
 * @throws \`ConsensusNeeded\`, \`PolicyDenied\`, \`ActivityFailed\`, \`InvalidField\` or another \`KeyhearthError\`.
 * @see /api#create_things
 */
export const createThings: Submission<CreateThingsVersions, "ACTIVITY_TYPE_CREATE_THINGS_V2"> = /* @__PURE__ */ submission("create_things", "ACTIVITY_TYPE_CREATE_THINGS_V2", {
  ACTIVITY_TYPE_CREATE_THINGS: "createThingsResult",
  ACTIVITY_TYPE_CREATE_THINGS_V2: "createThingsResult",
});

/**
 * Get a thing
 *
 * @throws \`InvalidField\`, \`NotFound\`, \`Unauthenticated\` or another \`KeyhearthError\`.
 * @see /api#get_thing
 */
export const getThing: BareQuery<Omit<GetThingRequest, "organizationId">, Thing> = /* @__PURE__ */ query("get_thing");
`);
  expect(calls).not.toContain("healthz");
});

test("each call is a method too, under the same comment", () => {
  const { calls, methods } = generate(contract);
  expect(methods).toContain(`\
  readonly createThings: MethodOf<typeof calls.createThings>;
  /**
   * Get a thing
   *
   * @throws \`InvalidField\`, \`NotFound\`, \`Unauthenticated\` or another \`KeyhearthError\`.
   * @see /api#get_thing
   */
  readonly getThing: MethodOf<typeof calls.getThing>;
};
`);
  const commentOf = (text: string) => /^ *\/\*\*\n *\* Not [\s\S]*?\*\/$/m.exec(text)?.[0];
  expect(commentOf(methods)?.replace(/^ {2}/gm, "")).toBe(commentOf(calls));
});
