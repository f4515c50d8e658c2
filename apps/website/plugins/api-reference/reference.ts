import { kindOf } from "@keyhearth/policy/kind-of";

/** What the reference page shows: a reduced OpenAPI document, to keep the page small. */
export type Reference = {
  groups: Group[];
  objects: ObjectSchema[];
  /** Names of the objects that are parameters or results, each with the name of its operation. */
  owners: Record<string, string>;
};

export type Group = { tag: string; description: string; operations: Operation[] };

export type Operation = {
  name: string;
  kind: "query" | "submit";
  path: string;
  summary: string;
  description: string;
  policy: { resource: string; action: string } | null;
  senders: Senders | null;
  request: Field[];
  response: Field[];
  versions: Version[];
  /** The kinds of stamps that it takes, as the contract names its security schemes. */
  stamps: string[];
};

/** An example of a request and of its answer, as JSON in lines. */
export type Example = { request: string; response: string };

/** Who may send a submission: the kinds of senders, as the engine names them. */
export type Senders = {
  by: string[];
  /** Users need no permission for what it does to themselves. */
  own: boolean;
  rootQuorumOnly: "always" | "sometimes" | "never";
};

/** What a policy names to allow a submission, and who may send it. */
export type Permission = { resource: string; action: string } & Senders;

/** One activity type that the path accepts; the first of a list is the default. */
export type Version = {
  type: string;
  isDefault: boolean;
  intentKey: string;
  resultKey: string;
  parameters: Field[];
  result: Field[];
};

export type Field = {
  /** Dotted for fields of unnamed objects: `accounts[].path`. */
  name: string;
  type: string;
  /** Name of the object in `Reference.objects` that describes this type. */
  object: string | null;
  required: boolean;
  description: string;
  values: string[];
};

export type ObjectSchema = {
  name: string;
  description: string;
  fields: Field[];
  values: string[];
};

/** The row of an operation in the tables of the guides. */
export type Endpoint = Pick<Operation, "name" | "kind" | "path" | "summary" | "policy"> & {
  tag: string;
  type: string | null;
  /** All activity types that the path accepts. */
  types: string[];
  /** Whether its answer is the activity that was voted on. */
  isVote: boolean;
};

/** A row of the table of kinds. Without `kind`, it is the name in capitals. */
export type Kind = {
  name: string;
  resource: string;
  action: string;
  kind?: string;
  isRootQuorumOnly?: true;
};

/** Kinds that share a resource and an action. A kind that is no more than its name is that name. */
export type KindGroup = [
  resource: string,
  action: string,
  kinds: (string | Omit<Kind, "resource" | "action">)[],
];

/** A query, whether it returns pages, and the fields that it may be sent without. */
export type QueryFields = { name: string; isPaged: boolean; options: Field[] };

/** What tables about policies show of an activity. A policy does not decide on votes. */
export type Activity = Pick<Endpoint, "name" | "policy"> & {
  /** The values of `activity.kind`, that of the default type first. */
  kinds: string[];
};

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: boolean | Schema;
  examples?: unknown[];
  example?: unknown;
};

type Media = {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
};

type Security = Record<string, unknown>[];

type OpenApiOperation = {
  security?: Security;
  parameters?: { name: string }[];
  tags?: string[];
  summary?: string;
  description?: string;
  requestBody?: { content?: Record<string, Media> };
  responses?: Record<string, { content?: Record<string, Media> }>;
  "x-errors"?: string[];
  "x-policy"?: { resource: string; action: string };
  "x-senders"?: Senders;
  "x-activity"?: {
    defaultType: string;
    versions: {
      type: string;
      intentKey: string;
      resultKey: string;
      parameters?: Schema;
      result?: Schema;
    }[];
  };
};

export type OpenApi = {
  /** Of operations that have none of their own. */
  security?: Security;
  tags?: { name: string; description?: string }[];
  paths: Record<string, { post?: OpenApiOperation }>;
  components?: { schemas?: Record<string, Schema> };
};

/** The paths whose requests are stamped. The login proxy has a page of its own. */
export const STAMPED = /^\/public\/v1\/(query|submit)\/(\w+)$/;

/** Turns the contract into the page's data. Pure; order follows the document. */
export function describeReference(contract: OpenApi): Reference {
  const schemas = contract.components?.schemas ?? {};
  const groups = new Map<string, Group>();
  for (const { name, description = "" } of contract.tags ?? []) {
    groups.set(name, { tag: name, description, operations: [] });
  }
  for (const [path, { post }] of Object.entries(contract.paths)) {
    const match = STAMPED.exec(path);
    if (!post || !match) continue;
    const tag = post.tags?.[0] ?? "Other";
    const group = groups.get(tag) ?? { tag, description: "", operations: [] };
    groups.set(tag, group);
    const { security = contract.security ?? [] } = post;
    const stamps = security.flatMap((each) => Object.keys(each));
    group.operations.push({ ...describeOperation(path, match, post, schemas), stamps });
  }
  const used = [...groups.values()].filter(({ operations }) => operations.length > 0);
  const owners = findOwners(contract);
  return { groups: used, objects: describeObjects(used, schemas, owners), owners };
}

export function listEndpoints({ groups }: Reference): Endpoint[] {
  return groups.flatMap(({ tag, operations }) =>
    operations.map(({ name, kind, path, summary, policy, versions }) => ({
      name,
      kind,
      path,
      summary,
      policy,
      tag,
      type: versions.find(({ isDefault }) => isDefault)?.type ?? null,
      types: versions.map(({ type }) => type),
      isVote: versions.some(({ resultKey }) => resultKey === "*"),
    })),
  );
}

/** All activities, for pages about policies. */
export function listActivities(reference: Reference): Activity[] {
  return listEndpoints(reference)
    .filter(({ kind }) => kind === "submit")
    .map(({ name, type, types, policy, isVote }) => {
      const kinds = [type ?? [], types].flat().map(kindOf);
      return { name, kinds: [...new Set(kinds)], policy: isVote ? null : policy };
    });
}

/** What policies name of each activity, in the order of the table. What a reader can tell from the name is left out. */
export function listKinds(reference: Reference): Kind[] {
  const permissions = permissionsByName(reference);
  return listActivities(reference)
    .flatMap(({ name, kinds: [kind = ""], policy }) => {
      if (!policy) return [];
      const isOwnName = kind === name.toUpperCase();
      const isRootQuorumOnly = permissions[name]?.rootQuorumOnly === "always";
      return {
        name,
        ...policy,
        ...(isOwnName ? {} : { kind }),
        ...(isRootQuorumOnly ? { isRootQuorumOnly: true as const } : {}),
      };
    })
    .sort((a, b) => sortKey(a).localeCompare(sortKey(b)));
}

/** The same in fewer bytes, for pages. */
export function groupKinds(kinds: readonly Kind[]): KindGroup[] {
  const groups = Map.groupBy(kinds, ({ resource, action }) => `${resource} ${action}`);
  return [...groups.values()].map((group) => {
    const [{ resource, action } = { resource: "", action: "" }] = group;
    return [
      resource,
      action,
      group.map(({ resource: _, action: __, ...kind }) =>
        Object.keys(kind).length === 1 ? kind.name : kind,
      ),
    ];
  });
}

function sortKey({ resource, action, name }: Kind): string {
  return `${resource} ${action} ${name}`;
}

/** The permission and the senders of each submission, by its name. */
export function permissionsByName({ groups }: Reference): Record<string, Permission> {
  const submissions = groups.flatMap(({ operations }) =>
    operations.flatMap(({ name, policy, senders }) =>
      policy && senders ? [[name, { ...policy, ...senders }] as const] : [],
    ),
  );
  return Object.fromEntries(submissions);
}

/** What each query can be asked beside the organization, for the tables of the guides. */
export function listQueryFields({ groups }: Reference): QueryFields[] {
  return groups.flatMap(({ operations }) =>
    operations
      .filter(({ kind }) => kind === "query")
      .map(({ name, request }) => ({
        name,
        isPaged: request.some((field) => field.name === PAGINATION),
        options: request.filter((field) => !field.required && field.name !== PAGINATION),
      })),
  );
}

const PAGINATION = "paginationOptions";

/** The parameters of each activity type, and the fields of each other object, by its name. */
export function fieldsByName({ groups, objects }: Reference): Map<string, Field[]> {
  const versions = groups.flatMap(({ operations }) => operations.flatMap((each) => each.versions));
  return new Map([
    ...versions.map(({ type, parameters }) => [type, parameters] as const),
    ...objects.map(({ name, fields }) => [name, fields] as const),
  ]);
}

function findOwners({ paths }: OpenApi): Record<string, string> {
  const owners = Object.entries(paths).flatMap(([path, { post }]) =>
    (post?.["x-activity"]?.versions ?? [])
      .flatMap(({ parameters, result }) => [refName(parameters), refName(result)])
      .filter((name) => name !== null)
      .map((name) => [name, path.slice(path.lastIndexOf("/") + 1)]),
  );
  return Object.fromEntries(owners);
}

function describeOperation(
  path: string,
  match: RegExpExecArray,
  post: OpenApiOperation,
  schemas: Record<string, Schema>,
): Omit<Operation, "stamps"> {
  const request = post.requestBody?.content?.["application/json"];
  const response = post.responses?.["200"]?.content?.["application/json"];
  const activity = post["x-activity"];
  const versions = (activity?.versions ?? []).map((version) => ({
    type: version.type,
    isDefault: version.type === activity?.defaultType,
    intentKey: version.intentKey,
    resultKey: version.resultKey,
    parameters: listFields(version.parameters, schemas),
    result: listFields(version.result, schemas),
  }));
  // The default version first, then the others from newest to oldest.
  versions.reverse().sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
  return {
    name: match[2] as string,
    kind: match[1] as "query" | "submit",
    path,
    summary: post.summary ?? (match[2] as string),
    description: post.description ?? "",
    policy: post["x-policy"] ?? null,
    senders: post["x-senders"] ?? null,
    request: activity ? [] : listFields(request?.schema, schemas),
    response: activity ? [] : listFields(response?.schema, schemas),
    versions,
  };
}

/** The examples of every operation by its name, for readers who open one. */
export function listExamples({ paths }: OpenApi): Record<string, Example> {
  const stamped = Object.entries(paths).filter(([path]) => STAMPED.test(path));
  const examples = stamped.map(([path, { post }]) => {
    const request = printExample(post?.requestBody?.content?.["application/json"]);
    const response = printExample(post?.responses?.["200"]?.content?.["application/json"]);
    return [path.slice(path.lastIndexOf("/") + 1), { request, response }] as const;
  });
  return Object.fromEntries(examples);
}

export function printExample(media: Media | undefined): string {
  const named = Object.values(media?.examples ?? {})[0]?.value;
  const value = media?.example ?? named ?? media?.schema?.example ?? media?.schema?.examples?.[0];
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

function refName(schema: Schema | undefined): string | null {
  return schema?.$ref?.replace("#/components/schemas/", "") ?? null;
}

function resolve(schema: Schema | undefined, schemas: Record<string, Schema>): Schema {
  const name = refName(schema);
  const target = name === null ? schema : schemas[name];
  if (name !== null && !target) {
    throw new Error(`the contract refers to the schema \`${name}\` and does not define it`);
  }
  if (!target) return {};
  const only = nonNull(target);
  return only === target ? target : { ...resolve(only, schemas), description: target.description };
}

/** In this API, `anyOf: [X, null]` is just X, because null means unset. */
function nonNull(schema: Schema): Schema {
  const options = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.filter(
    ({ type }) => type !== "null",
  );
  return options?.length === 1 && options[0] ? options[0] : schema;
}

export function listFields(
  schema: Schema | undefined,
  schemas: Record<string, Schema>,
  prefix = "",
): Field[] {
  const { properties = {}, required = [] } = resolve(schema, schemas);
  return Object.entries(properties).flatMap(([key, property]) => {
    const field = describeField(`${prefix}${key}`, property, required.includes(key), schemas);
    const inner = nonNull(property);
    const element = inner.items ? nonNull(inner.items) : inner;
    const isUnnamedObject = !element.$ref && element.properties !== undefined;
    if (!isUnnamedObject) return [field];
    const nested = inner.items ? `${field.name}[].` : `${field.name}.`;
    return [field, ...listFields(element, schemas, nested)];
  });
}

function describeField(
  name: string,
  property: Schema,
  required: boolean,
  schemas: Record<string, Schema>,
): Field {
  const inner = nonNull(property);
  const element = inner.items ? nonNull(inner.items) : inner;
  const object = refName(element);
  const target = resolve(element, schemas);
  const isLinked = object !== null && (target.properties !== undefined || isLongEnum(target));
  return {
    name,
    type: nameType(inner, schemas),
    object: isLinked ? object : null,
    required,
    description: property.description ?? inner.description ?? target.description ?? "",
    values: isLinked ? [] : listValues(target),
  };
}

function isLongEnum(schema: Schema): boolean {
  return (schema.enum?.length ?? 0) > 6;
}

function listValues(schema: Schema): string[] {
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  return values.filter((value) => value !== null).map(String);
}

function nameType(schema: Schema, schemas: Record<string, Schema>): string {
  const inner = nonNull(schema);
  if (inner.items) return nameType(inner.items, schemas).replace(/( \(.*\))?$/, "[]$1");
  const name = refName(inner);
  const target = resolve(inner, schemas);
  if (name !== null && (target.properties || isLongEnum(target))) return name;
  const options = target.anyOf ?? target.oneOf;
  if (options) return [...new Set(options.map((option) => nameType(option, schemas)))].join(" | ");
  if (target.enum || target.const !== undefined) return "enum";
  const types = [target.type ?? "object"].flat().filter((type) => type !== "null");
  if (types[0] === "array") return "array";
  return target.format ? `${types.join(" | ")} (${target.format})` : types.join(" | ");
}

/**
 * Every named object that the shown fields link to, directly or through other objects, except the
 * objects that are shown with their operation.
 */
function describeObjects(
  groups: Group[],
  schemas: Record<string, Schema>,
  owners: Record<string, string>,
): ObjectSchema[] {
  const waiting = groups
    .flatMap(({ operations }) => operations)
    .flatMap(({ request, response, versions }) => [
      ...request,
      ...response,
      ...versions.flatMap(({ parameters, result }) => [...parameters, ...result]),
    ]);
  const found = new Map<string, ObjectSchema>();
  for (let field = waiting.pop(); field; field = waiting.pop()) {
    if (field.object === null || field.object in owners || found.has(field.object)) continue;
    const schema = resolve({ $ref: `#/components/schemas/${field.object}` }, schemas);
    const fields = listFields(schema, schemas);
    found.set(field.object, {
      name: field.object,
      description: schema.description ?? "",
      fields,
      values: schema.properties ? [] : listValues(schema),
    });
    waiting.push(...fields);
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}
