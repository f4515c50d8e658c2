// The parameters that policies may read, by kind of activity. They come from the declarations or, for
// kinds that no endpoint serves yet, from the facts of the wire.

import { activities } from "@keyhearth/engine/activities/index";
import type { ActivityDeclaration } from "@keyhearth/engine/declare/define";
import { ApiError } from "@keyhearth/engine/errors";
import { waysOfNaming } from "@keyhearth/engine/people/named-users";
import { newOrganizationDocument, type User } from "@keyhearth/engine/records/organization";
import * as z from "zod";
import { decidable, facts } from "./wire-facts.ts";
import { writeGenerated } from "./write-generated.ts";

/** `type` is the text of an expression that makes the type. */
type Param = { name: string; type: string; isOptional: boolean };

/** A value of each type that is not a list. */
const samples: Record<string, unknown> = { paramText: "", int: 0, bool: false, paramObject: {} };

/** Defaults are there for every user of every organization. */
const somebody = { userId: "", userEmail: null } as User;
const somewhere = newOrganizationDocument({
  organizationId: "",
  organizationName: "",
  createdAtMs: 0,
  users: [],
  rootQuorum: { threshold: 1, userIds: [] },
});

const kinds = decidable.flatMap(({ kind, types }) => {
  const declaration = activities.find(({ defaultType }) => types.includes(defaultType));
  const params = declaration ? paramsDeclared(declaration) : paramsOnTheWire(types);
  return params ? [{ kind, params }] : [];
});

writeGenerated({
  path: "packages/policy/src/generated/activity-params.ts",
  from: "the declarations and contract/wire-facts.json by scripts/activity-params.ts",
  text:
    'import { bool, int, list, type Param, paramObject, paramText } from "../types.ts";\n\n' +
    "/** Parameters of activities as policies see them, by kind. */\n" +
    "export const derivedParams: Readonly<Record<string, Readonly<Record<string, Param>>>> = {\n" +
    `${kinds.map(({ kind, params }) => `  ${kind}: { ${params.map(member).join(", ")} },\n`).join("")}};\n`,
});

function member({ name, type, isOptional }: Param): string {
  const field = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return `${field}: { type: ${type}${isOptional ? ", isOptional: true" : ""} }`;
}

/**
 * Policies see every version in the form that `upgrade` and `complete` give it: with the fields of the
 * default version, those that an upgrade keeps from older versions, and whom the request names.
 */
function paramsDeclared(declaration: ActivityDeclaration): Param[] {
  const { versions, defaultType, complete } = declaration;
  const { [defaultType]: current, ...others } = versions;
  if (!current) throw new Error(`${declaration.name} lacks its default version`);
  const fields = Object.entries(current.intent.shape);
  const least = sampleOf(fields.filter(([, field]) => isAlwaysThere(field)));
  // An intent is an object.
  const always = {
    ...((complete?.(least, somebody, somewhere) ?? least) as Record<string, unknown>),
  };
  const params = new Map(
    fields.map(([name, field]) => {
      return [name, { name, type: typeOf(field), isOptional: always[name] === undefined }];
    }),
  );
  for (const [type, { intent }] of Object.entries(others)) {
    const kept = fieldsKept(declaration, type, sampleOf(Object.entries(intent.shape)));
    for (const [name, field] of Object.entries(intent.shape)) {
      if (params.has(name) || !kept.includes(name)) continue;
      params.set(name, { name, type: typeOf(field), isOptional: true });
    }
  }
  for (const field of shownOf(declaration)) {
    if (!params.has(field))
      params.set(field, { name: field, type: "paramText", isOptional: false });
  }
  return [...params.values()];
}

function shownOf({ namesUserBy }: ActivityDeclaration): string[] {
  const shown = namesUserBy ? waysOfNaming[namesUserBy].shows : [];
  return shown.map((name) => name.replace(/_[a-z]/g, ([, letter = ""]) => letter.toUpperCase()));
}

function fieldsKept({ upgrade }: ActivityDeclaration, type: string, intent: object): string[] {
  try {
    // The schema of this version made the intent.
    return Object.keys(upgrade?.[type]?.(intent as never) ?? intent);
  } catch (error) {
    // The upgrade needs the fields that are missing here, so it makes the new form.
    if (error instanceof ApiError) return [];
    throw error;
  }
}

function sampleOf(fields: [string, z.core.$ZodType][]): Record<string, unknown> {
  return Object.fromEntries(fields.map(([name, field]) => [name, samples[typeOf(field)] ?? []]));
}

function isAlwaysThere(field: z.core.$ZodType): boolean {
  const { success, data } = z.safeParse(field, undefined);
  return !success || data !== undefined;
}

function typeOf(field: z.core.$ZodType): string {
  return typeOfSchema(z.toJSONSchema(field, { io: "output", unrepresentable: "any" }));
}

function typeOfSchema(schema: z.core.JSONSchema.JSONSchema): string {
  const reference = schema.$ref?.slice("#/$defs/".length);
  const { type, items } = (reference && schema.$defs?.[reference]) || schema;
  switch (type) {
    case "string":
      return "paramText";
    case "integer":
      return "int";
    case "boolean":
      return "bool";
    case "array": {
      // Lists in an intent have only one kind of element.
      const element = items as z.core.JSONSchema.JSONSchema;
      return `list(${typeOfSchema({ ...element, $defs: schema.$defs })})`;
    }
    default:
      return "paramObject";
  }
}

/** Undefined for a kind without a submission in the facts. */
function paramsOnTheWire(types: readonly string[]): Param[] | undefined {
  const operation = Object.values(facts.operations).find(
    ({ type }) => type && types.includes(type),
  );
  const intent = operation?.types?.[operation.type ?? ""]?.intent;
  if (intent === undefined) return undefined;
  const { properties, required = [], newer = {} } = facts.definitions[intent] ?? {};
  const added = Array.isArray(newer) ? {} : newer;
  const always = [...required, ...(added.required ?? [])];
  return Object.entries({ ...properties, ...added.properties }).map(([name, type]) => {
    return { name, type: typeOfFact(type), isOptional: !always.includes(name) };
  });
}

function typeOfFact(fact: string | { enum: string[] }): string {
  if (typeof fact !== "string") return "paramText";
  const element = /^\[(.*)\]$/.exec(fact)?.[1];
  if (element !== undefined) return `list(${typeOfFact(element)})`;
  const scalars: Record<string, string> = {
    string: "paramText",
    uint64: "paramText",
    boolean: "bool",
    int32: "int",
    int64: "int",
  };
  return scalars[fact] ?? (facts.definitions[fact]?.enum ? "paramText" : "paramObject");
}
