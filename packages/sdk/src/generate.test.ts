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
          sizes: { type: "array", items: { anyOf: [{ type: "integer" }, { type: "null" }] } },
        },
        additionalProperties: {},
      },
    },
  },
};

test("schemas become types, with their descriptions", () => {
  expect(generate(contract).types).toBe(`\
// GENERATED from contract/openapi.json by packages/sdk/src/generate.ts. Do not edit.

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
  sizes?: Array<number | null>;
  [name: string]: unknown;
};
`);
});

test("each operation becomes a method, and a version is chosen by its type", () => {
  const { methods } = generate(contract);
  expect(methods).toContain(`\
  /**
   * Create things
   *
   * Not *\\/ more.
   */
  createThings<Type extends keyof CreateThingsVersions = "ACTIVITY_TYPE_CREATE_THINGS_V2">(
    parameters: CreateThingsVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<CreateThingsVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/create_things", parameters, options, activityVersions.createThings);
  }

  /** Get a thing */
  getThing(
    parameters: Omit<GetThingRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<Thing> {
    return this.query("/public/v1/query/get_thing", parameters, options);
  }
}
`);
  expect(methods).not.toContain("healthz");
});
