import { expect, test } from "vitest";
import { describeReference, fieldsByName, listEndpoints, type OpenApi } from "./reference.ts";

const contract: OpenApi = {
  tags: [{ name: "Wallets", description: "Seeds and accounts." }, { name: "Unused" }],
  paths: {
    "/public/v1/submit/create_wallet": {
      post: {
        tags: ["Wallets"],
        summary: "Create wallet",
        description: "Makes a wallet.",
        requestBody: { content: { "application/json": { example: { type: "T_V2" } } } },
        "x-policy": { resource: "WALLET", action: "CREATE" },
        "x-activity": {
          defaultType: "T_V2",
          versions: [
            { type: "T", intentKey: "tIntent", resultKey: "tResult" },
            {
              type: "T_V2",
              intentKey: "tIntentV2",
              resultKey: "tResult",
              parameters: { $ref: "#/components/schemas/TIntentV2" },
            },
          ],
        },
      },
    },
    "/public/v1/query/get_wallet": {
      post: {
        tags: ["Wallets"],
        summary: "Get wallet",
        responses: {
          "200": {
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  required: ["wallet"],
                  properties: { wallet: { $ref: "#/components/schemas/Wallet" } },
                },
              },
            },
          },
        },
      },
    },
    "/healthz": { post: { summary: "Not part of the API" } },
  },
  components: {
    schemas: {
      TIntentV2: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string", description: "What to call it." },
          mode: { anyOf: [{ enum: ["A", "B"] }, { type: "null" }], description: "How." },
          ids: { type: "array", items: { type: "string", format: "uuid" } },
          accounts: {
            type: "array",
            items: { type: "object", properties: { path: { type: "string" } } },
          },
        },
      },
      Wallet: {
        type: "object",
        description: "A wallet.",
        properties: {
          owner: { $ref: "#/components/schemas/User" },
          intent: { $ref: "#/components/schemas/TIntentV2" },
        },
      },
      User: { type: "object", properties: { userId: { type: "string", format: "uuid" } } },
    },
  },
};

const { groups, objects, owners } = describeReference(contract);

test("operations are listed under their tag, and an unused tag is not shown", () => {
  expect(groups.map(({ tag, operations }) => [tag, operations.map(({ name }) => name)])).toEqual([
    ["Wallets", ["create_wallet", "get_wallet"]],
  ]);
});

test("the default activity type comes first", () => {
  const versions = groups[0]?.operations[0]?.versions.map(({ type, isDefault }) => [
    type,
    isDefault,
  ]);
  expect(versions).toEqual([
    ["T_V2", true],
    ["T", false],
  ]);
});

test("fields of unnamed objects are listed by their path, and null adds nothing to a type", () => {
  const fields = groups[0]?.operations[0]?.versions[0]?.parameters;
  expect(fields?.map(({ name, type, required, values }) => [name, type, required, values])).toEqual(
    [
      ["name", "string", true, []],
      ["mode", "enum", false, ["A", "B"]],
      ["ids", "string[] (uuid)", false, []],
      ["accounts", "object[]", false, []],
      ["accounts[].path", "string", false, []],
    ],
  );
});

test("named objects are listed once, with those they refer to, unless an operation shows them", () => {
  expect(groups[0]?.operations[1]?.response).toMatchObject([
    { name: "wallet", type: "Wallet", object: "Wallet", description: "A wallet." },
  ]);
  expect(objects.map(({ name }) => name)).toEqual(["User", "Wallet"]);
  expect(owners).toEqual({ TIntentV2: "create_wallet" });
});

test("a reference to a schema that does not exist stops the build", () => {
  const broken = structuredClone(contract);
  delete broken.components?.schemas?.User;
  expect(() => describeReference(broken)).toThrow("`User`");
});

test("the guides' table has one row for each operation, with the default type", () => {
  expect(listEndpoints({ groups, objects, owners }).map(({ name, type }) => [name, type])).toEqual([
    ["create_wallet", "T_V2"],
    ["get_wallet", null],
  ]);
});

test("a guide finds the fields of an activity type or object by its name", () => {
  const reference = describeReference(contract);
  const fields = fieldsByName(reference);
  const versions = reference.groups.flatMap(({ operations }) =>
    operations.flatMap((each) => each.versions),
  );
  const parameters = versions.find(({ type }) => type === "T_V2")?.parameters;
  expect(parameters).not.toHaveLength(0);
  expect(fields.get("T_V2")).toEqual(parameters);
  for (const { name, fields: own } of reference.objects) expect(fields.get(name)).toEqual(own);
  expect([...fields.keys()].sort()).toEqual(
    [...versions.map(({ type }) => type), ...reference.objects.map(({ name }) => name)].sort(),
  );
});
