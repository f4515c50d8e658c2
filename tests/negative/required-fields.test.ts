import { readFileSync } from "node:fs";
import {
  clientOf,
  newKey,
  newOrganization,
  rootOrganizationIdOf,
  startTestServer,
} from "@keyhearth/api/testing";
import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { submit } from "@keyhearth/engine/organization.testing";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { core, exampleOf, isRequired } from "./example.ts";
import { type Operation, operations } from "./operations.ts";
import { newWorld, type World } from "./world.ts";

// Released clients refuse a whole answer, such as a list of activities, if a field is missing in it that the wire
// requires. So every answer has them all, also where the request that it shows left them out.

type FactType = string | { enum: string[] };
type Fields = { required?: string[]; optional?: string[]; properties?: Record<string, FactType> };
type Definition = Fields & {
  enum?: string[];
  enumOf?: string;
  newer?: Fields | string[];
  /** It has the key of its activity's type alone. */
  oneKeyOf?: string;
};
type Version = { intentKey: string; intent: string; resultKey: string; result?: string };

const facts: {
  scalars: Record<string, string>;
  operations: Record<string, { response: string; types?: Record<string, Version> }>;
  answersOnly: Record<string, string>;
  definitions: Record<string, Definition>;
} = JSON.parse(readFileSync(new URL("../../contract/wire-facts.json", import.meta.url), "utf8"));

/** The definition of each intent and result by its key in an activity. */
const byKey = new Map(Object.entries(facts.answersOnly));
for (const { types = {} } of Object.values(facts.operations)) {
  for (const { intentKey, intent, resultKey, result } of Object.values(types)) {
    byKey.set(intentKey, intent);
    if (result !== undefined) byKey.set(resultKey, result);
  }
}

/** What released clients could not read in a value. `seen` collects the keys of intents and results. */
function problemsIn(value: unknown, type: FactType, at: string, seen: Set<string>): string[] {
  if (typeof type !== "string") return [];
  const element = /^\[(.*)\]$/.exec(type)?.[1];
  if (element !== undefined) {
    if (!Array.isArray(value)) return [`${at} is not a list`];
    return value.flatMap((each, index) => problemsIn(each, element, `${at}[${index}]`, seen));
  }
  const scalar = facts.scalars[type];
  if (scalar !== undefined) return typeof value === scalar ? [] : [`${at} is no ${scalar}`];
  const definition = facts.definitions[type];
  if (!definition) throw new Error(`\`${type}\` is not defined`);
  if (definition.enum || definition.enumOf)
    return typeof value === "string" ? [] : [`${at} is no string`];
  if (!isObject(value)) return [`${at} is no object`];
  const { properties, required } = fieldsOf(definition, value, seen);
  const missing = required.filter((name) => (value[name] ?? null) === null);
  return [
    ...missing.map((name) => `${at}.${name} is missing`),
    ...Object.entries(properties).flatMap(([name, inner]) =>
      (value[name] ?? null) === null ? [] : problemsIn(value[name], inner, `${at}.${name}`, seen),
    ),
  ];
}

function fieldsOf(definition: Definition, value: Record<string, unknown>, seen: Set<string>) {
  if (definition.oneKeyOf) {
    const known = Object.keys(value).flatMap((key) => {
      const name = byKey.get(key);
      if (name !== undefined) seen.add(key);
      return name === undefined ? [] : [[key, name] as const];
    });
    return { properties: Object.fromEntries(known), required: [] };
  }
  const newer = Array.isArray(definition.newer) ? {} : (definition.newer ?? {});
  const required = [...(definition.required ?? []), ...(newer.required ?? [])];
  return {
    properties: { ...definition.properties, ...newer.properties },
    required: required.filter((name) => !newer.optional?.includes(name)),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value without everything that a request may leave out. */
function leastOf(schema: z.ZodType, value: unknown): unknown {
  const known = core(schema);
  if (known instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((each) => leastOf(known.element as z.ZodType, each));
  }
  if (!(known instanceof z.ZodObject) || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(known.shape)
      .filter(([name, member]) => name in value && isRequired(member))
      .map(([name, member]) => [name, leastOf(member, value[name])]),
  );
}

let world: World;
const answered = new Set<string>();
const seen = new Set<string>();
const problems: string[] = [];

beforeAll(async () => {
  world = await newWorld();
});

async function ask({ name, path, schema }: Operation, whole: boolean) {
  const { server, rootKey } = world.organization;
  const example = exampleOf(schema, "", world);
  const body = whole ? example : leastOf(schema, example);
  // The schema of an operation is an object.
  const given = body as Record<string, unknown>;
  const now = "timestampMs" in given ? { timestampMs: String(Date.now()) } : {};
  const text = JSON.stringify({ ...given, ...now });
  const stamp = createApiKeyStamp(
    { privateKey: decodeHex(rootKey.privateKey), scheme: "SIGNATURE_SCHEME_TK_API_P256" },
    encodeUtf8(text),
  );
  const response = await server.fetch(`http://keyhearth.test/public/v1/${path}`, {
    method: "POST",
    headers: { "X-Stamp": stamp },
    body: text,
  });
  const answer: unknown = await response.json();
  if (response.status !== 200) return;
  answered.add(path);
  const type = facts.operations[path]?.response ?? ownResponseOf(path);
  if (type !== undefined) problems.push(...problemsIn(answer, type, name, seen));
}

/** Requests that the wire does not have answer with an activity all the same. */
function ownResponseOf(path: string): string | undefined {
  return path.startsWith("submit/") ? "ActivityResponse" : undefined;
}

test("every answer has the fields that released clients require, whatever the request left out", async () => {
  // Deletions come last, because others name what they delete.
  const isDeletion = ({ path }: Operation) => path.startsWith("submit/delete_");
  const inOrder = [...operations].sort((a, b) => Number(isDeletion(a)) - Number(isDeletion(b)));
  for (const whole of [false, true]) {
    for (const operation of inOrder) {
      await ask(operation, whole);
      if (isDeletion(operation)) world = await newWorld();
    }
  }
  expect(problems, problems.join("\n")).toEqual([]);
  const paths = [...answered];
  expect(paths.filter((path) => path.startsWith("submit/")).length).toBeGreaterThan(30);
  expect(paths.filter((path) => path.startsWith("query/")).length).toBeGreaterThan(15);
  expect(seen.size, [...seen].join()).toBeGreaterThan(60);
}, 120_000);

test("so has the list of activities of an organization that the service, or a stranger, has founded", async () => {
  const server = await startTestServer();
  try {
    const rootId = await rootOrganizationIdOf(server);
    const organizationName = "Acme";
    const founded = [(await newOrganization(server)).root];
    const found = async (parametersOf: (publicKey: string) => object, type: string) => {
      const key = newKey();
      const parameters = { organizationName, ...parametersOf(key.publicKey) };
      const stranger = clientOf(server, rootId, key);
      const { organizationId } = await submit(stranger, "create_organization", {
        type,
        parameters,
      });
      founded.push(clientOf(server, organizationId, key));
    };
    const apiKey = { apiKeyName: "k", curveType: "API_KEY_CURVE_P256" };
    await found(
      (publicKey) => ({ rootUserName: "Ada", apiKey: { ...apiKey, publicKey } }),
      "ACTIVITY_TYPE_CREATE_ORGANIZATION",
    );
    await found(
      (publicKey) => ({ rootApiKey: { ...apiKey, publicKey } }),
      "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2",
    );
    for (const client of founded) {
      const answer = await client.listActivities({});
      expect(answer.activities).toHaveLength(1);
      expect(problemsIn(answer, "GetActivitiesResponse", "list", new Set())).toEqual([]);
    }
  } finally {
    await server.stop();
  }
});
