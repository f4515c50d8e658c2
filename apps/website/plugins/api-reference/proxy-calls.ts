import {
  type Example,
  type Field,
  listFields,
  type OpenApi,
  printExample,
  type Reference,
} from "./reference.ts";

/** A call of the login proxy, for the page about them. */
export type ProxyCall = {
  name: string;
  path: string;
  summary: string;
  description: string;
  /** Whether it takes the token of a captcha. */
  isCaptcha: boolean;
  request: ProxyField[];
  response: ProxyField[];
  errors: string[];
  example: Example;
};

/** A field whose object is described at a place of /api. */
export type ProxyField = Omit<Field, "object"> & { anchor: string | null };

const PREFIX = "/proxy/v1/";

/** The calls that carry no stamp. Objects that they share with stamped ones are described there. */
export function listProxyCalls(contract: OpenApi, { objects, owners }: Reference): ProxyCall[] {
  const schemas = contract.components?.schemas ?? {};
  const described = new Set(objects.map(({ name }) => name));

  function linked({ object, ...field }: Field): ProxyField {
    if (object === null) return { ...field, anchor: null };
    const anchor = owners[object] ?? (described.has(object) ? `object-${object}` : undefined);
    if (anchor === undefined) throw new Error(`/api does not describe \`${object}\``);
    return { ...field, anchor };
  }

  return Object.entries(contract.paths).flatMap(([path, { post }]) => {
    if (!post || !path.startsWith(PREFIX)) return [];
    const request = post.requestBody?.content?.["application/json"];
    const response = post.responses?.["200"]?.content?.["application/json"];
    return {
      name: path.slice(PREFIX.length),
      path,
      summary: post.summary ?? "",
      description: post.description ?? "",
      isCaptcha: (post.parameters ?? []).some(({ name }) => name === "X-Captcha-Token"),
      request: listFields(request?.schema, schemas).map(linked),
      response: listFields(response?.schema, schemas).map(linked),
      errors: post["x-errors"] ?? [],
      example: { request: printExample(request), response: printExample(response) },
    };
  });
}
