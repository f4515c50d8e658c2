import * as z from "zod";
import { type ApiError, combine, invalid, shorten } from "../errors.ts";

/** More problems than this help nobody, and a client may send a megabyte of them. */
const MAX_PROBLEMS = 20;

/** Each problem may list everything that is accepted, and twenty elements of one list the same. */
const MAX_TEXT = 10_000;

/**
 * Parses fields by a schema. An explicit null means unset. Refuses all that is wrong at once: each
 * problem names the field, what was given and what is accepted, in our words and never in the
 * library's.
 */
export function parseFields<T extends z.ZodType>(
  schema: T,
  value: Record<string, unknown>,
  prefix: string,
  hint: Hint = () => "",
): z.output<T> {
  // The library's own texts are left out: only messages that a schema of ours gives remain.
  const outcome = schema.safeParse(withoutNulls(value), { error: () => "" });
  if (outcome.success) return outcome.data;
  const issues = outcome.error.issues.slice(0, MAX_PROBLEMS);
  const errors = issues.flatMap((issue) => problemsOf(issue, { schema, value, prefix, hint }));
  // Of the rules that one value breaks, the first says enough.
  const byField = new Map(errors.toReversed().map((error) => [error.field, error]));
  const first = errors.filter((error) => byField.get(error.field) === error);
  throw combine(asManyAsFit(first.slice(0, MAX_PROBLEMS)));
}

function asManyAsFit(errors: readonly ApiError[]): ApiError[] {
  let length = 0;
  return errors.filter(({ message }, index) => {
    length += message.length;
    return index === 0 || length <= MAX_TEXT;
  });
}

/** Texts with which messages about missing fields begin, because clients look for them. */
export const missingText = z.registry<{ text: string }>();

/** Fields that a client may fill with a secret by mistake. No message shows their values. */
export const unshown = z.registry<object>();

/** What the host adds about a missing field. `given` and `schema` are the value and the schema that it is missing in. */
export type Hint = (missing: { name: string; given: unknown; schema: z.ZodType }) => string;

type Given = { schema: z.ZodType; value: unknown; prefix: string; hint: Hint };

function problemsOf(issue: z.core.$ZodIssue, { schema, value, prefix, hint }: Given): ApiError[] {
  const path = issue.path.filter((key) => typeof key !== "symbol");
  const field = path.reduce<string>(
    (text, key) =>
      typeof key === "number"
        ? `${text}[${key}]`
        : [text, shorten(String(key))].filter(Boolean).join("."),
    prefix,
  );
  const schemas = schemasAlong(schema, path);
  const found = schemas.length > path.length ? schemas.at(-1) : undefined;
  if (issue.code === "unrecognized_keys") {
    const known = found && core(found);
    const names = known instanceof z.ZodObject ? Object.keys(known.shape) : [];
    return issue.keys
      .slice(0, MAX_PROBLEMS)
      .map((key) => unknownField(shorten(key), field, `accepted: ${names.join(", ")}`));
  }
  const given = valueAt(value, path);
  if (given === undefined || given === null) {
    if (issue.code === "custom") return [invalid(field, `\`${field}\`: ${issue.message}`)];
    const known = schemas.flatMap((each) => missingText.get(core(each))?.text ?? []);
    const [name, parent] = [String(path.at(-1)), valueAt(value, path.slice(0, -1))];
    const more = hint({ name, given: parent, schema: core(schemas[path.length - 1] ?? schema) });
    const words = [
      ...known,
      "invalid request body",
      `missing field \`${field}\`${kindAccepted(found)}${more}`,
    ];
    return [invalid(field, words.join(": "))];
  }
  const words = issue.message || rule(issue);
  const isOtherKind = issue.code === "invalid_type";
  const isStated = /\b(must|expected|not|unsupported)\b/.test(words);
  const kind = isOtherKind ? kindOf(given, found) : "";
  const accepted = isOtherKind || issue.code === "invalid_value" ? kindAccepted : exampleAccepted;
  const reason = isUnsupported(issue) ? "FIELD_UNSUPPORTED" : "FIELD_INVALID";
  const shown = found && layers(found).some(isUnshown) ? sizeOf : describe;
  const message = `${words}: \`${field}\` is ${shown(given)}${kind}${isStated ? "" : accepted(found)}`;
  return [invalid(field, message, reason)];
}

function unknownField(name: string, at: string, accepted: string): ApiError {
  const place = at ? ` in \`${at}\`` : "";
  const message = `invalid request body: unknown field \`${name}\`${place}; ${accepted}`;
  return invalid([at, name].filter(Boolean).join("."), message, "FIELD_UNKNOWN");
}

/** The rule that the value breaks, if the schema has no text for it. */
function rule(issue: z.core.$ZodIssue): string {
  if (issue.code === "too_big") return `must have at most ${issue.maximum} ${unit(issue.origin)}`;
  if (issue.code === "too_small")
    return `must have at least ${issue.minimum} ${unit(issue.origin)}`;
  return "invalid value";
}

function unit(origin: string): string {
  return origin === "string" ? "characters" : "entries";
}

/** The issue is about a field that is marked as unsupported. */
function isUnsupported(issue: z.core.$ZodIssue): boolean {
  return issue.code === "custom" && issue.params?.reason === "FIELD_UNSUPPORTED";
}

/** The schemas of the values on a path, from the whole to the field. */
function schemasAlong(schema: z.ZodType, path: (string | number)[]): z.ZodType[] {
  const schemas = [schema];
  for (const key of path) {
    const parent = core(schemas.at(-1) ?? schema);
    let child: unknown;
    if (parent instanceof z.ZodObject) child = parent.shape[key];
    else if (parent instanceof z.ZodArray) child = parent.element;
    if (!(child instanceof z.ZodType)) break;
    schemas.push(child);
  }
  return schemas;
}

/** A schema and those that it wraps, from the outside. */
function layers(schema: z.ZodType): z.ZodType[] {
  let inner: unknown;
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    inner = schema.unwrap();
  } else if (schema instanceof z.ZodPipe) inner = schema.in;
  return inner instanceof z.ZodType ? [schema, ...layers(inner)] : [schema];
}

/** A schema with another description is a copy, which knows what it was copied from. */
function isUnshown(schema: z.core.$ZodType): boolean {
  const { parent } = schema._zod;
  return unshown.has(schema) || (parent !== undefined && isUnshown(parent));
}

/** The schema that says what kind of value it is. */
function core(schema: z.ZodType): z.ZodType {
  return layers(schema).at(-1) ?? schema;
}

function exampleAccepted(schema: z.ZodType | undefined): string {
  const examples = schema ? layers(schema).flatMap((each) => each.meta()?.examples ?? []) : [];
  return typeof examples[0] === "string" ? `; expected for example \`${examples[0]}\`` : "";
}

function kindAccepted(schema: z.ZodType | undefined): string {
  const known = schema && core(schema);
  if (known instanceof z.ZodEnum) return `; accepted: ${known.options.join(", ")}`;
  if (known instanceof z.ZodNumber) return "; expected a whole number";
  if (known instanceof z.ZodBoolean) return "; expected true or false";
  if (known instanceof z.ZodArray) return "; expected a list";
  if (known instanceof z.ZodObject || known instanceof z.ZodRecord) return "; expected an object";
  return known instanceof z.ZodString || known instanceof z.ZodUnion ? "; expected a string" : "";
}

/** A text and a number look the same in a message. */
function kindOf(given: unknown, schema: z.ZodType | undefined): string {
  if (typeof given === "string") return " (a string)";
  return typeof given === "number" && !(schema && core(schema) instanceof z.ZodNumber)
    ? " (a number)"
    : "";
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}

/** Describes the given value, shortened for a message. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  return `\`${shorten(String(value), 64)}\``;
}

function sizeOf(value: unknown): string {
  return typeof value === "string" ? `a text of ${value.length} characters` : describe(value);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const key in value) {
    if (value[key] !== null) kept[key] = withoutNulls(value[key]);
  }
  return kept;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
