import { type OpenApi, type Schema, STAMPED } from "./reference.ts";

/** What a browser needs to check a request before it is sent. References lead to `$defs`, which all requests share. */
export type Requests = {
  $defs: Record<string, RequestSchema>;
  operations: Record<string, OperationRequest>;
};

export type OperationRequest = {
  /** The body. Its `parameters` take every version. */
  body: RequestSchema;
  /** The parameters of each activity type. Empty for a query. */
  parameters: Record<string, RequestSchema>;
};

export type RequestSchema = { [keyword: string]: unknown };

/** Keywords that only tell something: a check doesn't need them. */
const REMARKS = new Set(["default", "description", "example", "examples", "format"]);

const COMPONENTS = "#/components/schemas/";

/** The schemas of all requests, with what they refer to and nothing else. */
export function listRequests({ paths, components }: OpenApi): Requests {
  const $defs: Record<string, RequestSchema> = {};
  const operations: Record<string, OperationRequest> = {};

  function reduce(schema: Schema): RequestSchema {
    return Object.fromEntries(
      Object.entries(schema)
        .filter(([keyword]) => !REMARKS.has(keyword))
        .map(([keyword, value]) => [keyword, reduceValue(keyword, value)]),
    );
  }

  function reduceValue(keyword: string, value: unknown): unknown {
    if (keyword === "$ref") return refer(String(value));
    if (keyword === "properties") {
      // The names of properties may be those of keywords.
      return Object.fromEntries(
        Object.entries(value as Record<string, Schema>).map(([name, each]) => [name, reduce(each)]),
      );
    }
    if (["anyOf", "oneOf", "allOf"].includes(keyword)) return (value as Schema[]).map(reduce);
    const isSchema = ["items", "additionalProperties", "propertyNames"].includes(keyword);
    return isSchema && typeof value === "object" ? reduce(value as Schema) : value;
  }

  function refer(reference: string): string {
    const name = reference.slice(COMPONENTS.length);
    const target = components?.schemas?.[name];
    if (!target) {
      throw new Error(`the contract refers to \`${reference}\` and does not define it`);
    }
    if (!Object.hasOwn($defs, name)) {
      // Noted before it is reduced, as a schema may refer to itself.
      $defs[name] = {};
      $defs[name] = reduce(target);
    }
    return `#/$defs/${name}`;
  }

  for (const [path, { post }] of Object.entries(paths)) {
    const schema = post?.requestBody?.content?.["application/json"]?.schema;
    if (!post || !schema || !STAMPED.test(path)) continue;
    const name = path.slice(path.lastIndexOf("/") + 1);
    const target = components?.schemas?.[schema.$ref?.slice(COMPONENTS.length) ?? ""] ?? schema;
    const versions = post["x-activity"]?.versions ?? [];
    operations[name] = {
      // A released client may send more, but a reader who writes a body means something with each field.
      body: { ...reduce(target), additionalProperties: false },
      parameters: Object.fromEntries(
        versions.flatMap(({ type, parameters }) =>
          parameters ? [[type, reduce(parameters)] as const] : [],
        ),
      ),
    };
  }
  return { $defs, operations };
}
