/**
 * Writes `generated/types.ts` and `generated/methods.ts` from `contract/openapi.json`. It runs only at
 * build time: nothing that `index.ts` reaches imports this file.
 */
import { readFileSync, writeFileSync } from "node:fs";

type Schema = {
  $ref?: string;
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
  description?: string;
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
  "// GENERATED from contract/openapi.json by packages/sdk/src/generate.ts. Do not edit.\n";

/** Turns the contract into the text of the two generated files. */
export function generate(contract: Contract): { types: string; methods: string } {
  const schemas = contract.components?.schemas ?? {};
  const operations = Object.entries(contract.paths)
    .filter(([path]) => /^\/public\/v1\/(query|submit)\/\w+$/.test(path))
    .flatMap(([path, { post }]) => (post ? [{ path, operation: post }] : []))
    .sort((a, b) => a.operation.operationId.localeCompare(b.operation.operationId, "en"));
  return { types: typesFile(schemas), methods: methodsFile(operations, schemas) };
}

function typesFile(schemas: Record<string, Schema>): string {
  const declarations = Object.keys(schemas)
    .sort((a, b) => a.localeCompare(b, "en"))
    .map((name) => {
      const schema = schemas[name] ?? {};
      return `${comment(schema.description, "")}export type ${name} =${declared(typeOf(schema, ""))};\n`;
    });
  return [banner, ...declarations].join("\n");
}

function methodsFile(operations: Named[], schemas: Record<string, Schema>): string {
  const body = [
    ...operations.map(versionsType),
    versionTable(operations),
    "/** One method for each operation of the contract; `KeyhearthClient` adds the transport. */\n" +
      "export abstract class Methods {\n" +
      "  protected abstract query<Response>(\n    path: string,\n    parameters: object,\n    options?: QueryOptions,\n  ): Promise<Response>;\n\n" +
      "  protected abstract submit<Answer>(\n    path: string,\n    parameters: object,\n    options: SubmitOptions<string> | undefined,\n    versions: ActivityVersions,\n  ): Promise<Answer>;\n\n" +
      operations.map((named) => methodOf(named, schemas)).join("\n") +
      "}\n",
  ]
    .filter((part) => part !== "")
    .join("\n");
  const names = Object.keys(schemas)
    .filter((name) => new RegExp(`\\b${name}\\b`).test(stripComments(body)))
    .sort((a, b) => a.localeCompare(b, "en"));
  const imports =
    'import type { ActivityVersions, Decided, QueryOptions, Submitted, SubmitOptions } from "../options.ts";\n' +
    (names.length > 0
      ? `import type {\n${names.map((name) => `  ${name},\n`).join("")}} from "./types.ts";\n`
      : "");
  return [banner, imports, body].join("\n");
}

// One type per submission that has several versions: `options.type` chooses among them.
function versionsType({ operation }: Named): string {
  const activity = operation["x-activity"];
  if (!activity || activity.versions.length < 2) return "";
  const lines = activity.versions.map(
    ({ type, parameters, result }) =>
      `  ${type}: { parameters: ${typeOf(parameters, "  ")}; result: ${typeOf(result ?? {}, "  ")} };\n`,
  );
  return `/** The versions of \`${operation.operationId}\`, by activity type. */\nexport type ${pascal(operation.operationId)}Versions = {\n${lines.join("")}};\n`;
}

function versionTable(operations: Named[]): string {
  const entries = operations.flatMap(({ operation }) => {
    const activity = operation["x-activity"];
    if (!activity) return [];
    const results = activity.versions.map(
      ({ type, resultKey }) => `      ${type}: ${JSON.stringify(resultKey)},\n`,
    );
    return [
      `  ${operation.operationId}: {\n    defaultType: ${JSON.stringify(activity.defaultType)},\n    resultKeys: {\n${results.join("")}    },\n  },\n`,
    ];
  });
  return `/** For each submission, the type sent by default and where each version puts its result. */\nexport const activityVersions = {\n${entries.join("")}} as const satisfies Record<string, ActivityVersions>;\n`;
}

function methodOf({ path, operation }: Named, schemas: Record<string, Schema>): string {
  const description = [operation.summary, operation.description].filter(Boolean).join("\n\n");
  const signature = operation["x-activity"]
    ? submitMethod(path, operation, schemas)
    : queryMethod(path, operation, schemas);
  return `${comment(description, "  ")}${signature}`;
}

function queryMethod(path: string, operation: Operation, schemas: Record<string, Schema>): string {
  const request = operation.requestBody?.content?.["application/json"]?.schema ?? {};
  const response = operation.responses?.["200"]?.content?.["application/json"]?.schema ?? {};
  const required = resolve(request, schemas).required ?? [];
  const parameters = `Omit<${typeOf(request, "  ")}, "organizationId">`;
  const none = required.every((name) => name === "organizationId") ? " = {}" : "";
  return (
    `  ${operation.operationId}(\n    parameters: ${parameters}${none},\n    options?: QueryOptions,\n` +
    `  ): Promise<${typeOf(response, "  ")}> {\n` +
    `    return this.query(${JSON.stringify(path)}, parameters, options);\n  }\n`
  );
}

function submitMethod(path: string, operation: Operation, schemas: Record<string, Schema>): string {
  const { operationId } = operation;
  const { defaultType = "", versions = [] } = operation["x-activity"] ?? {};
  const version = versions.find(({ type }) => type === defaultType);
  if (!version) throw new Error(`${operationId}: the default type is not among its versions`);
  const none = (resolve(version.parameters, schemas).required ?? []).length === 0 ? " = {}" : "";
  const call = `    return this.submit(${JSON.stringify(path)}, parameters, options, activityVersions.${operationId});\n  }\n`;
  if (versions.length > 1) {
    const name = `${pascal(operationId)}Versions`;
    return (
      `  ${operationId}<Type extends keyof ${name} = ${JSON.stringify(defaultType)}>(\n` +
      `    parameters: ${name}[Type]["parameters"],\n    options?: SubmitOptions<Type>,\n` +
      `  ): Promise<Submitted<${name}[Type]["result"]>> {\n${call}`
    );
  }
  // `*` means the result of the activity that was decided on.
  const result =
    version.resultKey === "*" ? "Decided" : `Submitted<${typeOf(version.result ?? {}, "  ")}>`;
  return (
    `  ${operationId}(\n    parameters: ${typeOf(version.parameters, "  ")}${none},\n` +
    `    options?: SubmitOptions<${JSON.stringify(defaultType)}>,\n  ): Promise<${result}> {\n${call}`
  );
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
    return `${comment(property.description, inner)}${inner}${key}${mark}: ${typeOf(property, inner)};\n`;
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

// A description is text from a schema, and it must not be able to end the comment around it.
function comment(text: string | undefined, indent: string): string {
  if (!text) return "";
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n");
  return `${indent}/**\n${body}\n${indent} */\n`;
}

function stripComments(text: string): string {
  return text.replace(/\/\*\*[\s\S]*?\*\//g, "");
}

if (import.meta.main) {
  const contract = new URL("../../../contract/openapi.json", import.meta.url);
  const { types, methods } = generate(JSON.parse(readFileSync(contract, "utf8")));
  writeFileSync(new URL("generated/types.ts", import.meta.url), types);
  writeFileSync(new URL("generated/methods.ts", import.meta.url), methods);
}
