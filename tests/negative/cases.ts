import * as z from "zod";
import { core, exampleOf, exampleText, isRequired, type Names } from "./example.ts";
import type { Operation } from "./operations.ts";

export type Mistake =
  | "missing"
  | "empty"
  | "too long"
  | "unknown field"
  | "wrong type"
  | "number"
  | "wrong format"
  | "second spelling"
  | "unknown value"
  | "duplicate"
  | "foreign";

/** A request with one mistake in it, and the start of what the answer says of it, where one text serves all fields. */
export type Case = {
  mistake: Mistake;
  field: string;
  body: Record<string, unknown>;
  says: { code: string; text: string } | undefined;
};

type Step = string | number;
export type Place = { schema: z.ZodType; steps: Step[]; field: string; value: unknown };

const MISSING = Symbol("missing");
const UNKNOWN = "notAField";

/** Every mistake in every field of a request. `foreign` names what another organization has. */
export function casesOf({ name, schema }: Operation, names: Names, foreign: Names): Case[] {
  const body = exampleOf(schema, "", names);
  return placesIn({ schema, steps: [], field: "", value: body }).flatMap((place) => {
    const lean = withoutOthers(schema, body, place.steps);
    return mistakesAt(place, { foreign, tooLong: tooLongFor(name) }).map(([mistake, value]) => ({
      mistake,
      field: place.field,
      body: withValue(lean, place.steps, value),
      says: saidOf(mistake, place),
    }));
  });
}

/** Fields of every request, whose texts say what they are for. */
const ofEnvelopes = new Set(["type", "timestampMs", "organizationId", "parameters"]);

function saidOf(mistake: Mistake, { schema, field }: Place): Case["says"] {
  if (mistake === "missing" && !ofEnvelopes.has(field))
    return { code: "FIELD_INVALID", text: `missing field \`${field}\`` };
  const known = core(schema);
  if (mistake !== "unknown field" || !(known instanceof z.ZodObject)) return undefined;
  const accepted = Object.keys(known.shape).join(", ");
  const text = `invalid request body: unknown field \`${UNKNOWN}\` in \`${field}\`; accepted: ${accepted}`;
  return { code: "FIELD_UNKNOWN", text };
}

/** Optional fields that mean nothing without each other. */
const companions = new Set([
  ...["subject", "operator", "target", "targets"],
  ...["filterType", "filterValue"],
  ...["address", "path"],
  "oidcClaims",
]);

/** The value without optional fields, except for lists and those on the way to one place. */
function withoutOthers(schema: z.ZodType, value: unknown, steps: Step[]): unknown {
  const known = core(schema);
  const [step, ...further] = steps;
  if (known instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((each) => withoutOthers(known.element as z.ZodType, each, further));
  }
  if (!(known instanceof z.ZodObject) || !isObject(value)) return value;
  const kept = Object.entries(known.shape).filter(
    ([name, member]) =>
      name in value &&
      (name === step ||
        companions.has(name) ||
        isRequired(member) ||
        core(member) instanceof z.ZodArray),
  );
  return Object.fromEntries(
    kept.map(([name, member]) => [
      name,
      withoutOthers(member, value[name], name === step ? further : []),
    ]),
  );
}

/** Every field of a value, with the elements of its lists, apart from the whole. */
export function placesIn({ schema, steps, field, value }: Place): Place[] {
  const known = core(schema);
  const children: Place[] = [];
  if (known instanceof z.ZodObject && isObject(value)) {
    for (const [name, member] of Object.entries(known.shape)) {
      const at = field === "" ? name : `${field}.${name}`;
      children.push({ schema: member, steps: [...steps, name], field: at, value: value[name] });
    }
  }
  if (known instanceof z.ZodArray && Array.isArray(value) && value.length > 0) {
    const element = known.element as z.ZodType;
    children.push({ schema: element, steps: [...steps, 0], field: `${field}[0]`, value: value[0] });
  }
  // What is refused whatever it contains has no fields of its own.
  return children.flatMap((child) =>
    child.schema.safeParse(child.value).success ? [child, ...placesIn(child)] : [child],
  );
}

/** Longer than any field, and short enough that the body is not refused as a whole. */
function tooLongFor(operation: string): string {
  if (!operation.startsWith("query/")) return "x".repeat(300_000);
  return "x".repeat(operation === "query/simulate_activity" ? 250_000 : 60_000);
}

function mistakesAt(
  { schema, field, value }: Place,
  { foreign, tooLong }: { foreign: Names; tooLong: string },
): [Mistake, unknown][] {
  const known = core(schema);
  const found: [Mistake, unknown][] = [];
  // An element of a list is never missing.
  if (isRequired(schema) && !field.endsWith("]")) found.push(["missing", MISSING]);
  if (known instanceof z.ZodArray) {
    const list = Array.isArray(value) ? value : [];
    found.push(["wrong type", "text"], ["wrong type", {}]);
    if (list.length === 0) return found;
    // Otherwise an empty list means the same as none.
    if (isRequired(schema)) found.push(["empty", []]);
    found.push(["duplicate", [...list, ...list]]);
    found.push(["too long", Array.from({ length: 101 }, () => list[0])]);
    return found;
  }
  if (known instanceof z.ZodObject) {
    found.push(["wrong type", "text"], ["wrong type", []]);
    const lean = withoutOthers(schema, value, []);
    if (isObject(lean)) found.push(["unknown field", { ...lean, [UNKNOWN]: 1 }]);
    return found;
  }
  if (known instanceof z.ZodRecord) return [...found, ["wrong type", "text"], ["wrong type", []]];
  found.push(["wrong type", []], ["wrong type", {}]);
  if (known instanceof z.ZodEnum)
    return [...found, ["empty", ""], ["unknown value", "NOT_A_VALUE"]];
  if (known instanceof z.ZodBoolean) return [...found, ["wrong type", "true"]];
  if (known instanceof z.ZodNumber) {
    return [...found, ["wrong type", "text"], ["wrong format", 1.5], ["wrong format", -1]];
  }
  found.push(["number", 7], ["empty", ""], ["too long", tooLong]);
  // Databases cannot store it, and nobody can see it.
  found.push(["wrong format", "a\u0000b"]);
  if (typeof value === "string" && isBase64Url(schema)) {
    for (const text of otherSpellings(value)) found.push(["second spelling", text]);
  }
  const name = field.replace(/\[0\]$/, "").replace(/^.*\./, "");
  const other = foreign.referenceOf(name, exampleText(schema));
  if (other !== undefined && field !== "organizationId") found.push(["foreign", other]);
  return found;
}

function isBase64Url(schema: z.ZodType): boolean {
  return schema.description?.endsWith(", base64url.") === true;
}

/** The same bytes, or nearly, in texts that decoders read differently. */
function otherSpellings(text: string): string[] {
  // With this length, and this last digit, there are bits that belong to no byte.
  const unfinished = text.length % 4 === 0 ? text.slice(0, -1) : text;
  return [
    `${unfinished.slice(0, -1)}_`,
    `${text}=`,
    `${text}\n`,
    `+${text.slice(1)}`,
    `${text.slice(0, text.length - (text.length % 4))}A`,
  ];
}

/** A copy of the body with another value at one place. */
export function withValue(body: unknown, steps: Step[], value: unknown): Record<string, unknown> {
  const copy = structuredClone(body) as Record<Step, unknown>;
  let at = copy;
  for (const step of steps.slice(0, -1)) at = at[step] as Record<Step, unknown>;
  const last = steps.at(-1) ?? "";
  if (value === MISSING) delete at[last];
  else at[last] = value;
  return copy;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
