// Writes what `keyhearth call` knows of the contract: the requests of every operation, and the schemas that they refer to.

import { readFileSync, writeFileSync } from "node:fs";

type Schema = { [keyword: string]: unknown };

type Operation = {
  summary?: string;
  requestBody?: { content?: { "application/json"?: { schema?: Schema } } };
  operationId: string;
  "x-activity"?: { defaultType: string; versions: { type: string; parameters: Schema }[] };
};

type Contract = {
  paths: Record<string, { post?: Operation }>;
  components: { schemas: Record<string, Schema> };
};

/** Keywords that neither a check nor a usage needs. */
const LEFT_OUT = new Set(["example", "examples", "format"]);

const COMPONENTS = "#/components/schemas/";

function requestsOf({ paths, components }: Contract) {
  const $defs: Record<string, Schema> = {};

  function reduce(schema: Schema): Schema {
    return Object.fromEntries(
      Object.entries(schema)
        .filter(([keyword]) => !LEFT_OUT.has(keyword))
        .map(([keyword, value]) => [keyword, reduceValue(keyword, value)]),
    );
  }

  function reduceValue(keyword: string, value: unknown): unknown {
    if (keyword === "$ref") return refer(String(value));
    if (keyword === "properties") {
      // The names of properties may be those of keywords.
      const properties = Object.entries(value as Record<string, Schema>);
      return Object.fromEntries(properties.map(([name, each]) => [name, reduce(each)]));
    }
    if (["anyOf", "oneOf", "allOf"].includes(keyword)) return (value as Schema[]).map(reduce);
    const isSchema = ["items", "additionalProperties", "propertyNames"].includes(keyword);
    return isSchema && typeof value === "object" ? reduce(value as Schema) : value;
  }

  function refer(reference: string): string {
    const name = reference.slice(COMPONENTS.length);
    const target = components.schemas[name];
    if (!target) throw new Error(`the contract refers to \`${reference}\` and does not define it`);
    if (!Object.hasOwn($defs, name)) {
      // Noted before it is reduced, as a schema may refer to itself.
      $defs[name] = {};
      $defs[name] = reduce(target);
    }
    return `#/$defs/${name}`;
  }

  function versionsOf(schema: Schema, activity: Operation["x-activity"]): Record<string, Schema> {
    if (activity) {
      return Object.fromEntries(
        activity.versions.map(({ type, parameters }) => [type, reduce(parameters)]),
      );
    }
    const target = components.schemas[String(schema.$ref ?? "").slice(COMPONENTS.length)];
    // A person who writes a request means something with each field.
    return { "": { ...reduce(target ?? schema), additionalProperties: false } };
  }

  const operations: Record<string, object> = {};
  for (const [path, { post }] of Object.entries(paths)) {
    const schema = post?.requestBody?.content?.["application/json"]?.schema;
    const [, name] = /^\/public\/v1\/(?:query|submit)\/(\w+)$/.exec(path) ?? [];
    if (!post || !schema || name === undefined) continue;
    const { operationId, summary = "", "x-activity": activity } = post;
    const defaultType = activity?.defaultType;
    const versions = versionsOf(schema, activity);
    operations[name] = { path, operationId, summary, defaultType, versions };
  }
  return { operations, $defs };
}

const contract: Contract = JSON.parse(
  readFileSync(new URL("../../../contract/openapi.json", import.meta.url), "utf8"),
);
const text = JSON.stringify({
  "x-generated": "from contract/openapi.json by packages/cli/scripts/generate.ts. Do not edit.",
  ...requestsOf(contract),
});
writeFileSync(
  new URL("../src/contract/generated/requests.json", import.meta.url),
  // One operation or schema a line, so that a diff shows what changed.
  `${text.replaceAll(/,"(?=\w+":\{"(?:path|type|enum|description|anyOf|required)")/g, ',\n"')}\n`,
);
