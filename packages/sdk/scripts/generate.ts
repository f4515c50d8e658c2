/**
 * Writes the generated files from `contract/openapi.json`. It runs only at build time: nothing that
 * `index.ts` reaches imports this file.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { type Constraints, comment, describeValue } from "./generate-comments.ts";

type Schema = Omit<Constraints, "anyOf" | "items"> & {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema | boolean;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
};

type Content = { content?: { "application/json"?: { schema?: Schema } } };

type Version = {
  type: string;
  resultKey: string;
  parameters: Schema;
  result?: Schema;
};

type Operation = {
  operationId: string;
  summary?: string;
  description?: string;
  requestBody?: Content;
  responses?: Record<string, Content>;
  "x-activity"?: { defaultType: string; versions: Version[] };
};

/** The parts of an OpenAPI document that the SDK uses. */
export type Contract = {
  paths: Record<string, { post?: Operation }>;
  components?: { schemas?: Record<string, Schema> };
};

type Named = { path: string; operation: Operation };

const banner =
  "// GENERATED from contract/openapi.json by packages/sdk/scripts/generate.ts. Do not edit.\n";

/** The text of each generated file. */
export type Generated = { types: string; calls: string; methods: string };

/** Turns the contract into the text of the generated files. */
export function generate(contract: Contract): Generated {
  const schemas = contract.components?.schemas ?? {};
  const operations = Object.entries(contract.paths)
    .filter(([path]) => /^\/public\/v1\/(query|submit)\/\w+$/.test(path))
    .flatMap(([path, { post }]) => (post ? [{ path, operation: post }] : []))
    .sort((a, b) => a.operation.operationId.localeCompare(b.operation.operationId, "en"));
  return {
    types: typesFile(schemas),
    calls: callsFile(operations, schemas),
    methods: methodsFile(operations),
  };
}

function typesFile(schemas: Record<string, Schema>): string {
  const declarations = Object.keys(schemas)
    .sort((a, b) => a.localeCompare(b, "en"))
    .map((name) => {
      const schema = schemas[name] ?? {};
      return `${comment(describeValue(schema), "")}export type ${name} =${declared(typeOf(schema, ""))};\n`;
    });
  return [banner, ...declarations].join("\n");
}

function callsFile(operations: Named[], schemas: Record<string, Schema>): string {
  const body = operations.map((named) => callOf(named, schemas)).join("\n");
  const names = Object.keys(schemas)
    .filter((name) => new RegExp(`\\b${name}\\b`).test(stripComments(body)))
    .sort((a, b) => a.localeCompare(b, "en"));
  const makers = [
    "BareQuery",
    "BareSubmission",
    "Query",
    "query",
    "Submission",
    "submission",
  ].filter((name) => new RegExp(`\\b${name}\\b`).test(stripComments(body)));
  const options = /\bDecided\b/.test(stripComments(body))
    ? 'import type { Decided } from "../../connection/options.ts";\n'
    : "";
  const imports =
    `import { ${makers.map((name) => (/^[a-z]/.test(name) ? name : `type ${name}`)).join(", ")} } from "../call.ts";\n${options}` +
    (names.length > 0
      ? `import type {\n${names.map((name) => `  ${name},\n`).join("")}} from "../../generated/types.ts";\n`
      : "");
  return [banner, imports, body].join("\n");
}

// Written out, because an editor that is built on TypeScript 7 shows no comments of a mapped type.
function methodsFile(operations: Named[]): string {
  const lines = operations.map((named) => {
    const { operationId } = named.operation;
    return `${commentOf(named, "  ")}  readonly ${operationId}: MethodOf<typeof calls.${operationId}>;\n`;
  });
  const imports =
    'import type { MethodOf } from "../call.ts";\nimport type * as calls from "./calls.ts";\n';
  const text = "/** Every call as a method of `KeyhearthClient`. */\n";
  return [banner, imports, `${text}export type Methods = {\n${lines.join("")}};\n`].join("\n");
}

function callOf(named: Named, schemas: Record<string, Schema>): string {
  const { operation } = named;
  const name = nameOf(named.path);
  const { versions, type, value } = operation["x-activity"]
    ? submissionOf(name, operation, schemas)
    : { versions: "", ...queryOf(name, operation, schemas) };
  return `${versions}${commentOf(named, "")}export const ${operation.operationId}: ${type} = /* @__PURE__ */ ${value};\n`;
}

function commentOf({ path, operation }: Named, indent: string): string {
  const { summary, description, "x-activity": activity } = operation;
  const others = (activity?.versions ?? []).filter(({ type }) => type !== activity?.defaultType);
  const text = [
    description ?? summary,
    others.length > 0 && `\`options.type\` also takes ${listed(others.map(({ type }) => type))}.`,
    `@throws ${errorsOf(operation)} or another \`KeyhearthError\`.\n@see /api#${nameOf(path)}`,
  ];
  return comment(text.filter(Boolean).join("\n\n"), indent);
}

/** The errors that a program is most likely to handle. */
function errorsOf({ "x-activity": activity }: Operation): string {
  if (!activity) return "`InvalidField`, `NotFound`, `Unauthenticated`";
  const isDecision = activity.versions.some(({ resultKey }) => resultKey === "*");
  return isDecision
    ? "`ActivityFailed`, `InvalidField`, `NotFound`"
    : "`ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField`";
}

function listed(names: string[]): string {
  const [last = "", ...rest] = names.map((name) => `\`${name}\``).reverse();
  return rest.length > 0 ? `${rest.reverse().join(", ")} and ${last}` : last;
}

function queryOf(name: string, operation: Operation, schemas: Record<string, Schema>) {
  const request = operation.requestBody?.content?.["application/json"]?.schema ?? {};
  const response = operation.responses?.["200"]?.content?.["application/json"]?.schema ?? {};
  const required = resolve(request, schemas).required ?? [];
  const isBare = required.every((each) => each === "organizationId");
  const types = `Omit<${typeOf(request, "")}, "organizationId">, ${typeOf(response, "")}`;
  return {
    type: `${isBare ? "BareQuery" : "Query"}<${types}>`,
    value: `query(${JSON.stringify(name)})`,
  };
}

function submissionOf(name: string, operation: Operation, schemas: Record<string, Schema>) {
  const { operationId } = operation;
  const { defaultType = "", versions = [] } = operation["x-activity"] ?? {};
  const standard = versions.find(({ type }) => type === defaultType);
  if (!standard) throw new Error(`${operationId}: the default type is not among its versions`);
  const isBare = (resolve(standard.parameters, schemas).required ?? []).length === 0;
  const versionsName = `${pascal(operationId)}Versions`;
  const lines = versions.map(({ type, parameters, resultKey, result }) => {
    // `*` means the result of the activity that was decided on.
    const resultType = resultKey === "*" ? "Decided" : typeOf(result ?? {}, "  ");
    return `  ${type}: { parameters: ${typeOf(parameters, "  ")}; result: ${resultType} };\n`;
  });
  const keys = versions.map(({ type, resultKey }) => `  ${type}: ${JSON.stringify(resultKey)},\n`);
  return {
    versions: `/** The versions of \`${operationId}\`, by activity type. */\nexport type ${versionsName} = {\n${lines.join("")}};\n\n`,
    type: `${isBare ? "BareSubmission" : "Submission"}<${versionsName}, ${JSON.stringify(defaultType)}>`,
    value: `submission(${JSON.stringify(name)}, ${JSON.stringify(defaultType)}, {\n${keys.join("")}})`,
  };
}

// A long union is written with one member per line.
function declared(type: string): string {
  const isUnion = /^"[^{}]*" \| "[^{}]*"$/.test(type);
  return isUnion && type.length > 80 ? `\n  | ${type.replaceAll(" | ", "\n  | ")}` : ` ${type}`;
}

function typeOf(schema: Schema | boolean, indent: string): string {
  if (typeof schema === "boolean") return schema ? "unknown" : "never";
  if (schema.$ref) return nameOf(schema.$ref);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return union(alternatives.map((part) => typeOf(part, indent)));
  if (schema.allOf) return schema.allOf.map((part) => typeOf(part, indent)).join(" & ");
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type) => typeOf({ ...schema, type }, indent)));
  }
  switch (schema.type) {
    case "string":
      return "string";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return schema.prefixItems
        ? `[${schema.prefixItems.map((item) => typeOf(item, indent)).join(", ")}]`
        : arrayOf(typeOf(schema.items ?? true, indent));
    case "object":
      return objectType(schema, indent);
    default:
      return schema.properties ? objectType(schema, indent) : "unknown";
  }
}

function objectType(schema: Schema, indent: string): string {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) {
    const values = schema.additionalProperties;
    // Not `Record<string, never>`: results are joined with `activity`.
    if (values === false) return "Record<never, never>";
    return `Record<string, ${typeOf(values ?? true, indent)}>`;
  }
  const inner = `${indent}  `;
  const lines = properties.map(([name, property]) => {
    const mark = schema.required?.includes(name) ? "" : "?";
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${comment(describeValue(property), inner)}${inner}${key}${mark}: ${typeOf(property, inner)};\n`;
  });
  const isOpen = schema.additionalProperties === true || isObject(schema.additionalProperties);
  if (isOpen) lines.push(`${inner}[name: string]: unknown;\n`);
  return `{\n${lines.join("")}${indent}}`;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function arrayOf(item: string): string {
  return /^[\w.]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

function union(parts: string[]): string {
  return [...new Set(parts)].join(" | ");
}

function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  return schema.$ref ? (schemas[nameOf(schema.$ref)] ?? {}) : schema;
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function pascal(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

function stripComments(text: string): string {
  return text.replace(/\/\*\*[\s\S]*?\*\//g, "");
}

if (import.meta.main) {
  const contract = new URL("../../../contract/openapi.json", import.meta.url);
  const files = generate(JSON.parse(readFileSync(contract, "utf8")));
  const { types, ...calls } = files;
  const write = (path: string, text: string) =>
    writeFileSync(new URL(`../src/${path}.ts`, import.meta.url), text);
  write("generated/types", types);
  for (const [name, text] of Object.entries(calls)) write(`calls/generated/${name}`, text);
}
