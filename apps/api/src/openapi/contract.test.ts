import { existsSync, readFileSync } from "node:fs";
import { activities } from "@keyhearth/engine/activities/index";
import type { ActivityDeclaration } from "@keyhearth/engine/declare/define";
import { parseFields } from "@keyhearth/engine/fields/parse";
import type { FeatureName } from "@keyhearth/engine/fields/schemas";
import { checkFeatureValue } from "@keyhearth/engine/people/features";
import { parseParameters, versionOf } from "@keyhearth/engine/submission/envelope";
import { lintPolicies } from "@keyhearth/policy/advice/lints";
import type { PolicyText } from "@keyhearth/policy/decide";
import { kindOf } from "@keyhearth/policy/kind-of";
import { ACTIVITY_PARAMS } from "@keyhearth/policy/schema";
import { nameOf as nameOfType } from "@keyhearth/policy/types";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { queries } from "../queries/index.ts";
import type { QueryDeclaration } from "../query/define.ts";
import { ActivityResponse } from "../wire/objects.ts";
import { createOpenApi } from "./openapi.ts";
import type { Operation, Schema } from "./openapi-document.ts";
import { pathOfProxyCall, proxyCalls } from "./openapi-proxy.ts";

/** Every declaration follows the same rules; if a piece is missing, a test here names it. */

const root = new URL("../../../../", import.meta.url);
const activityFolder = "packages/engine/src/activities/";
const queryFolder = "apps/api/src/queries/";

const contract = createOpenApi();
const { schemas } = contract.components;

test("names and types are unique", () => {
  const names = [...activities, ...queries].map(({ name }) => name);
  expect(duplicates(names)).toEqual([]);
  const types = activities.flatMap(({ versions }) => Object.keys(versions));
  expect(duplicates(types)).toEqual([]);
  const intentKeys = activities.flatMap(({ versions }) =>
    Object.values(versions).map(({ intentKey }) => intentKey),
  );
  expect(duplicates(intentKeys)).toEqual([]);
});

test.each(activities)(
  "submission $name has file, test, texts, policy and example",
  async (activity) => {
    const problems = await problemsOfFile(activityFolder, activity);
    const { policy, defaultType, versions, example } = activity;
    if (!/^[A-Z_]+$/.test(policy.resource)) problems.push("no policy resource");
    if (!/^[A-Z_]+$/.test(policy.action)) problems.push("no policy action");
    if (!versions[defaultType]) problems.push("the default type is not among the versions");
    expect(problems, problems.join("; ")).toEqual([]);
    expect(() => parseParameters(versionOf(activity, defaultType), example)).not.toThrow();
  },
);

test.each(queries)("query $name has file, test, texts and example", async (query) => {
  const problems = await problemsOfFile(queryFolder, query);
  expect(problems, problems.join("; ")).toEqual([]);
  expect(() => parseFields(query.request, query.example, "")).not.toThrow();
});

/** What clients stamp. The calls of the login proxy have tests below. */
const paths = Object.entries(contract.paths).filter(([path]) => path.startsWith("/public/v1/"));

test("every schema and every field is described", () => {
  const missing = Object.entries(schemas).flatMap(([name, schema]) =>
    fieldsWithoutText(schema, name),
  );
  expect(missing, missing.join(", ")).toEqual([]);
});

test("every reference points to a schema", () => {
  const references = JSON.stringify(contract).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  const names = new Set([...references].map(([, name]) => name ?? ""));
  expect([...names].filter((name) => !schemas[name])).toEqual([]);
});

test.each(paths)("the answer shown for %s fits its schema", (path, { post }) => {
  const query = queries.find(({ name }) => path === `/public/v1/query/${name}`);
  const response = query?.response ?? ActivityResponse;
  const { example } = post.responses["200"].content["application/json"];
  expect(response.safeParse(example).error).toBeUndefined();
});

test.each(paths)(
  "the examples of %s have features and policies that the service would take",
  (_path, { post }) => {
    const shown = [
      post.requestBody.content["application/json"].example,
      post.responses["200"].content["application/json"].example,
    ];
    const wrong: unknown[] = [];
    JSON.stringify(shown, (_field, value) => {
      if (isFeature(value)) checkFeatureValue(value.name, value.value);
      if (isPolicy(value)) wrong.push(...lintPolicies([{ ...value, policyId: "example" }]));
      return value;
    });
    expect(wrong).toEqual([]);
  },
);

test("an example leaves out a value only where it would be a secret or a long text", () => {
  const left = new Set<string>();
  JSON.stringify(contract.paths, (field, value) => {
    if (value === "…") left.add(field);
    return value;
  });
  expect([...left].sort()).toEqual([
    "credentialBundle",
    "encryptedOtpBundle",
    "exportBundle",
    "importBundle",
    "oidcToken",
    "otpEncryptionTargetBundle",
    "request",
    "session",
    "verificationToken",
  ]);
});

describe.each(proxyCalls.map((call) => [call.name, call] as const))(
  "%s of the login proxy",
  (name, call) => {
    const { post } = contract.paths[pathOfProxyCall(name)] ?? {};

    test("has examples that the service would take and answer, and every field is described", () => {
      const { requestBody, responses } = post ?? ({} as never);
      const [request, response] = [requestBody, responses["200"]].map(
        ({ content }) => content["application/json"],
      );
      expect(call.body.safeParse(request?.example).error).toBeUndefined();
      expect(z.strictObject(call.answers.shape).safeParse(response?.example).error).toBeUndefined();
      const { schema: body = {} } = request ?? {};
      const { schema: answer = {} } = response ?? {};
      expect([
        ...fieldsWithoutText({ ...body, description: "x" }, name),
        ...fieldsWithoutText({ ...answer, description: "x" }, name),
      ]).toEqual([]);
    });

    test("carries no stamp, and names its organization", () => {
      expect(post?.security).toEqual([]);
      const headers = post?.parameters?.map((header) => header.name);
      const isCaptcha = /^(otp_init|signup)/.test(name);
      expect(headers).toEqual([
        "X-Auth-Proxy-Config-ID",
        ...(isCaptcha ? ["X-Captcha-Token"] : []),
      ]);
    });
  },
);

test("every tag is described", () => {
  expect(contract.tags.filter(({ description }) => description === "")).toEqual([]);
});

test("queries accept a read-only session, stamp_login an attested stamp, and every operation a stamp", () => {
  const stamped = ["stamp", "passkeyStamp"];
  for (const [path, { post }] of paths) {
    const accepted = (post.security ?? contract.security).flatMap((each) => Object.keys(each));
    const others = path.includes("/query/") ? ["readOnlySession"] : [];
    if (post.operationId === "stampLogin") others.push("attestedStamp");
    expect(accepted, path).toEqual([...stamped, ...others]);
    for (const name of accepted) expect(contract.components.securitySchemes).toHaveProperty(name);
  }
});

test("versions that share a result key share its schema", () => {
  const shapes = new Map<string, string>();
  for (const { versions } of activities) {
    for (const [type, { resultKey, result }] of Object.entries(versions)) {
      const shape = JSON.stringify(z.toJSONSchema(result, { io: "input" }));
      if (resultKey !== "*") expect(shapes.get(resultKey) ?? shape, type).toBe(shape);
      shapes.set(resultKey, shape);
    }
  }
});

test("contract/openapi.json is what the declarations generate (npm run generate)", () => {
  const written = readFileSync(new URL("contract/openapi.json", root), "utf8");
  // Compared as text, because the order counts.
  expect(written === `${JSON.stringify(contract, null, 2)}\n`, "run npm run generate").toBe(true);
});

// The facts of the wire: fields, types and required flags of every path.

type Fact = {
  required?: string[];
  properties?: Record<string, FactType>;
  /** Fields that the contract requires although the service accepts requests without them. */
  omittable?: string[];
  enum?: string[];
  /** Set if the values are the activity types of the catalogue. */
  enumOf?: "activities";
  /** What the newer contract adds or no longer requires. */
  newer?:
    | string[]
    | { required?: string[]; optional?: string[]; properties?: Record<string, FactType> };
  open?: boolean;
  oneKeyOf?: string;
};
type FactType = string | { enum: string[] };
type FactVersion = {
  intentKey: string;
  intent: string;
  resultKey: string;
  result?: string;
  since?: string;
};
type FactOperation = {
  tag: string;
  request: string;
  response: string;
  type?: string;
  types?: Record<string, FactVersion>;
};

/** One kind of activity in the catalogue. */
type FactKind = {
  resource?: string;
  action?: string;
  /** In order of version; the `newer` ones come after them. */
  types: string[];
  newer?: string[];
  since?: "newer" | "later";
  /** False if no policy is evaluated. */
  policies?: false;
};

const facts: {
  activities: Record<string, FactKind>;
  operations: Record<string, FactOperation>;
  definitions: Record<string, Fact>;
  envelope: Fact;
} = JSON.parse(readFileSync(new URL("contract/wire-facts.json", root), "utf8"));

/** What we add to the wire, and which of our objects replaces one of the wire. */
const ours = {
  operations: [
    "query/get_receipts",
    "query/list_webhook_deliveries",
    "query/simulate_activity",
    "submit/accept_invitation",
    "submit/create_organization",
    "submit/delete_organization",
    "submit/log_out_everywhere",
    "submit/resend_webhook_delivery",
  ],
  fields: [
    "WalletAccount.proof",
    "PrivateKeyAddress.proof",
    "Activity.addressProofs",
    "Activity.warnings",
    "Authenticator.lastUsedAt",
    "GetActivitiesRequest.includeAddressProofs",
    "GetActivityRequest.includeAddressProofs",
    "GetPolicyEvaluationsRequest.includeTrace",
    "PolicyOutcome.trace",
    "GetActivitiesResponse.endedEarly",
  ],
  objects: { PrivateKeyAddress: "Address" } as Record<string, string>,
  /** Optional on the wire; we always send them. */
  alwaysSent: [
    "PrivateKeyAddress.format",
    "PrivateKeyAddress.address",
    "PolicyOutcome.policyId",
    "PolicyOutcome.outcome",
    "WebhookEndpointData.subscriptions",
  ],
  /** Each activity that is built adds its types. */
  partialEnums: ["ActivityType"],
  /** Fields and values that the newer contract adds, for features that do not exist here. */
  later: [
    "ActivityStatus.ACTIVITY_STATUS_AUTHENTICATORS_NEEDED",
    "AddressFormat.ADDRESS_FORMAT_SPARK_MAINNET",
    "AddressFormat.ADDRESS_FORMAT_SPARK_REGTEST",
    "Credential.sessionProfileId",
    "FeatureName.FEATURE_NAME_EARN_CONFIG",
    "FeatureName.FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED",
    "FeatureName.FEATURE_NAME_SWAP_CONFIG",
  ],
};

const operations = paths.map(([path, { post }]) => ({
  path: path.replace("/public/v1/", ""),
  operation: post,
}));

test.each(operations)("$path agrees with the facts of the wire", ({ path, operation }) => {
  const fact = facts.operations[path];
  if (!fact) {
    expect(ours.operations).toContain(path);
    return;
  }
  const problems =
    operation.tags[0]?.toLowerCase() === fact.tag.toLowerCase() ? [] : [`tag is ${fact.tag}`];
  const request = operation.requestBody.content["application/json"].schema;
  const response = operation.responses["200"].content["application/json"].schema;
  const compare = createComparison(problems);
  compare.type(response, fact.response, "response");
  if (fact.types) {
    problems.push(...problemsOfVersions(operation, fact));
    compare.fields(request, facts.envelope, fact.request);
  } else {
    compare.type(request, fact.request, "request");
  }
  for (const { type, parameters, result } of operation["x-activity"]?.versions ?? []) {
    const version = fact.types?.[type];
    if (version) compare.type(parameters, version.intent, type);
    if (version?.result && result) compare.type(result, version.result, type);
  }
  expect(problems, problems.join("; ")).toEqual([]);
});

test("fields and values that are left for later are not there", () => {
  for (const at of ours.later) {
    const [name = "", member = ""] = at.split(".");
    const { properties = {}, enum: values = [] } = schemas[name] ?? {};
    expect([...Object.keys(properties), ...values], at).not.toContain(member);
  }
});

// The comparison of an operation stops at an activity's intent and result, which are of all kinds.
test.each([
  ["Intent", "intentKey"],
  ["Result", "resultKey"],
] as const)("an %s has one key for each version, with the schema of its facts", (name, key) => {
  const versions = Object.values(facts.operations).flatMap(({ types = {} }) => {
    return Object.entries(types).map(([type, version]) => ({ type, ...version }));
  });
  const declared = new Set(activities.flatMap((each) => Object.keys(each.versions)));
  const keys = Object.keys(schemas[name]?.properties ?? {});
  const onTheWire = versions.filter(({ type }) => declared.has(type));
  expect(onTheWire.length).toBeGreaterThan(50);
  for (const { intent, result, [key]: of } of onTheWire) {
    const definition = key === "intentKey" ? intent : result;
    if (definition === undefined) continue;
    expect(keys).toContain(of);
    expect(nameOf(schemas[name]?.properties?.[of] ?? {})).toBe(definition);
  }
  const known = new Set(onTheWire.map((each) => each[key]));
  const own = activities
    .filter((each) => ours.operations.includes(`submit/${each.name}`))
    .flatMap(({ versions: of }) => Object.values(of).map((each) => each[key]));
  expect(keys.filter((each) => !known.has(each) && !own.includes(each))).toEqual([]);
});

test.each(activities)("submission $name agrees with the catalogue of activities", (activity) => {
  const { versions, defaultType, vote, policy } = activity;
  const { rootQuorumOnly, sentBy = ["user"] } = activity;
  const kind = kindOf(defaultType);
  const fact = facts.activities[kind];
  if (!fact) throw new Error(`contract/wire-facts.json has no activity ${kind}`);
  const { resource, action, since, policies = true } = fact;
  expect(Object.keys(versions)).toEqual(typesOf(fact));
  expect({ resource, action }).toEqual(policy);
  const isUndecided = rootQuorumOnly === true || !sentBy.includes("user");
  expect(policies).toBe(!vote && !isUndecided);
  expect(since, `an endpoint serves ${kind} now`).not.toBe("later");
});

// Kinds without a declaration take their parameters from the facts; both sources must agree.
test.each(Object.keys(ACTIVITY_PARAMS))(
  "parameters of %s that policies read are on the wire",
  (kind) => {
    const { type = "", types } =
      Object.values(facts.operations).find((each) => each.type && kindOf(each.type) === kind) ?? {};
    const definition = facts.definitions[types?.[type]?.intent ?? ""];
    if (!definition) {
      // The facts have no submission of these kinds.
      const isOurs = ours.operations.includes(`submit/${kind.toLowerCase()}`);
      expect(facts.activities[kind]?.since ?? "later").toBe(isOurs ? "newer" : "later");
      return;
    }
    const params = ACTIVITY_PARAMS[kind] ?? {};
    const problems = Object.entries(definition.properties ?? {}).flatMap(([name, fact]) => {
      const param = params[snakeCased(name)];
      const type = param ? nameOfType(param.type) : "missing";
      return type === typeOfParam(fact) ? [] : [`${name} is ${type}`];
    });
    expect(problems, problems.join("; ")).toEqual([]);
  },
);

function snakeCased(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Policies have no type for objects. */
function typeOfParam(fact: FactType): string {
  if (typeof fact !== "string") return "string";
  const element = /^\[(.*)\]$/.exec(fact)?.[1];
  if (element !== undefined) return `list<${typeOfParam(element)}>`;
  if (fact === "boolean") return "bool";
  if (fact === "int32" || fact === "int64") return "int";
  return isScalar(fact) || facts.definitions[fact]?.enum ? "string" : "dynamic";
}

function typesOf({ types, newer = [] }: FactKind): string[] {
  return [...types, ...newer];
}

function problemsOfVersions(operation: Operation, fact: FactOperation): string[] {
  const problems: string[] = [];
  const { defaultType, versions = [] } = operation["x-activity"] ?? {};
  if (defaultType !== fact.type) problems.push(`the default type is ${fact.type}`);
  for (const [type, { intentKey, resultKey }] of Object.entries(fact.types ?? {})) {
    const version = versions.find((each) => each.type === type);
    if (!version) {
      problems.push(`${type} is not accepted`);
      continue;
    }
    if (version.intentKey !== intentKey) problems.push(`${type}: the intent key is ${intentKey}`);
    if (version.resultKey !== resultKey) problems.push(`${type}: the result key is ${resultKey}`);
  }
  return problems;
}

/** Walks our schemas and the facts side by side, each object once. */
function createComparison(problems: string[]) {
  const seen = new Set<string>();

  function type(schema: Schema, fact: FactType, at: string) {
    const given = nonNull(schema);
    if (typeof fact !== "string") return compareEnum(resolve(given), fact.enum, [], at);
    const element = /^\[(.*)\]$/.exec(fact)?.[1];
    if (element !== undefined) {
      if (given.type !== "array" || !given.items) problems.push(`${at} is not a list`);
      else type(given.items, element, `${at}[]`);
      return;
    }
    if (isScalar(fact)) {
      if (!fitsScalar(given, fact)) problems.push(`${at} is not of type ${fact}`);
      return;
    }
    const name = nameOf(given);
    if ((ours.objects[name ?? ""] ?? name) !== fact) {
      problems.push(`${at} is ${name ?? "an object without a name"}, not ${fact}`);
      return;
    }
    const definition = facts.definitions[fact];
    if (!definition || name === null || seen.has(name)) return;
    seen.add(name);
    if (definition.oneKeyOf) return;
    if (definition.enumOf) {
      compareEnum(resolve(given), Object.values(facts.activities).flatMap(typesOf), [], name);
    } else if (definition.enum) {
      const newer = Array.isArray(definition.newer) ? definition.newer : [];
      compareEnum(resolve(given), definition.enum, newer, name);
    } else {
      fields(given, definition, name);
    }
  }

  function fields(schema: Schema, definition: Fact, name: string) {
    const { properties = {}, required = [] } = resolve(schema);
    const newer = Array.isArray(definition.newer) ? {} : (definition.newer ?? {});
    const known = { ...definition.properties, ...newer.properties };
    for (const key of Object.keys(known)) {
      if (properties[key]) continue;
      const isLater = newer.properties?.[key] && ours.later.includes(`${name}.${key}`);
      if (!isLater) problems.push(`${name}.${key} is missing`);
    }
    const isRequired = new Set([...(definition.required ?? []), ...(newer.required ?? [])]);
    for (const key of newer.optional ?? []) isRequired.delete(key);
    for (const [key, property] of Object.entries(properties)) {
      const at = `${name}.${key}`;
      const fact = known[key];
      if (fact === undefined) {
        if (!ours.fields.includes(at)) problems.push(`${at} is not on the wire`);
        continue;
      }
      const mayDiffer = definition.omittable?.includes(key) || ours.alwaysSent.includes(at);
      if (!mayDiffer && required.includes(key) !== isRequired.has(key)) {
        problems.push(`${at} is ${isRequired.has(key) ? "required" : "optional"} on the wire`);
      }
      // The shape of the parameters depends on the type; each version is compared separately.
      if (fact !== "intent") type(property, fact, at);
    }
  }

  function compareEnum({ enum: values = [] }: Schema, wire: string[], newer: string[], at: string) {
    for (const value of values) {
      if (![...wire, ...newer].includes(String(value))) problems.push(`${at}: unknown ${value}`);
    }
    if (ours.partialEnums.includes(at)) return;
    const expected = [...wire, ...newer.filter((value) => !ours.later.includes(`${at}.${value}`))];
    for (const value of expected) {
      if (!values.includes(value)) problems.push(`${at}: ${value} is missing`);
    }
  }

  return { type, fields };
}

function isScalar(fact: string): boolean {
  return ["string", "boolean", "int32", "int64", "uint64"].includes(fact);
}

/** 64-bit numbers are text on the wire. A field may accept more than the wire's own form. */
function fitsScalar(schema: Schema, fact: string): boolean {
  const accepted = schema.anyOf ?? [schema];
  const expected = { boolean: "boolean", int32: "integer", int64: "integer" }[fact] ?? "string";
  return accepted.some(({ type }) => type === expected);
}

function nonNull(schema: Schema): Schema {
  const options = schema.anyOf?.filter(({ type }) => type !== "null");
  return options?.length === 1 && options[0] ? options[0] : schema;
}

function nameOf({ $ref }: Schema): string | null {
  return $ref?.slice("#/components/schemas/".length) ?? null;
}

function resolve(schema: Schema): Schema {
  const name = nameOf(schema);
  return name === null ? schema : (schemas[name] ?? {});
}

/** A field that refers to a named schema needs no text of its own. */
function fieldsWithoutText(schema: Schema, at: string): string[] {
  const own = (schema.description ?? resolve(schema).description) ? [] : [at];
  const inner = Object.entries(schema.properties ?? {}).flatMap(([key, property]) =>
    fieldsWithoutText(property, `${at}.${key}`),
  );
  const elements = schema.items?.properties ? fieldsWithoutText(schema.items, `${at}[]`) : [];
  return [...own, ...inner, ...elements];
}

async function problemsOfFile(
  folder: string,
  declaration: ActivityDeclaration | QueryDeclaration,
): Promise<string[]> {
  const { name, summary, description } = declaration;
  const file = name.replaceAll("_", "-");
  const problems: string[] = [];
  if (summary === "" || description === "") problems.push("no summary or description");
  const url = new URL(`${folder}${file}.ts`, root);
  if (existsSync(url)) {
    const exported: Record<string, unknown> = await import(/* @vite-ignore */ url.href);
    const exportName = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (exported[exportName] !== declaration) problems.push(`${file}.ts must export ${exportName}`);
  } else {
    problems.push(`no file ${folder}${file}.ts`);
  }
  if (!existsSync(new URL(`${folder}${file}.test.ts`, root))) {
    problems.push(`no test ${folder}${file}.test.ts`);
  }
  return problems;
}

function duplicates(values: string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}

function isFeature(value: unknown): value is { name: FeatureName; value: string } {
  // A request that removes a feature names no value.
  return (
    hasText(value, "name") && value.name.startsWith("FEATURE_NAME_") && hasText(value, "value")
  );
}

function isPolicy(value: unknown): value is PolicyText {
  return hasText(value, "condition") && hasText(value, "effect");
}

function hasText<K extends string>(value: unknown, key: K): value is Record<K, string> {
  // An object has the member, whatever else it is.
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Record<K, unknown>)[key] === "string"
  );
}
