import { type OutputUnit, Validator } from "@cfworker/json-schema";
import { nearest } from "@keyhearth/policy/errors";
import { plain } from "../output.ts";
import { definitions, propertiesOf, resolved, type Schema } from "./operations.ts";

/** A field that the contract does not accept, and why. */
export type Fault = { readonly field: string; readonly message: string };

/** Everything about a value that its schema does not accept. */
export function faultsOf(value: unknown, schema: Schema): Fault[] {
  const whole = { ...schema, $defs: definitions };
  const { errors } = new Validator(whole, "2020-12", false).validate(value);
  const faults = errors
    .filter((error) => isLeaf(error, errors))
    .flatMap((error) => describe(error, value, schema));
  return faults.filter(
    ({ field, message }, index) =>
      faults.findIndex((other) => other.field === field && other.message === message) === index,
  );
}

/** Keywords whose errors only repeat that something inside is wrong. */
const CONTAINERS = new Set(["$ref", "properties", "items", "additionalProperties", "allOf"]);

function isLeaf(error: OutputUnit, all: readonly OutputUnit[]): boolean {
  if (CONTAINERS.has(error.keyword)) return false;
  // Of several alternatives, their choice is named and not what each of them misses.
  return !all.some(({ keyword, keywordLocation }) => {
    return keyword === "anyOf" && error.keywordLocation.startsWith(`${keywordLocation}/`);
  });
}

function describe(error: OutputUnit, value: unknown, schema: Schema): Fault[] {
  const path = pathOf(error.instanceLocation);
  const field = written(path);
  const rule = ruleAt(schema, error.keywordLocation);
  const given = shown(valueAt(value, path));
  switch (error.keyword) {
    case "false": {
      const known = Object.keys(propertiesOf(schemaAt(schema, path.slice(0, -1))));
      const near = nearest(String(path.at(-1)), known);
      const hint = near ? `did you mean ${near}?` : `known are ${known.join(", ")}`;
      return [{ field, message: `is unknown: ${hint}` }];
    }
    case "required": {
      const present = valueAt(value, path);
      const required = Array.isArray(rule) ? rule.map(String) : [];
      return required
        .filter((name) => !Object.hasOwn(Object(present), name))
        .map((name) => ({ field: written([...path, name]), message: missing(schema, path, name) }));
    }
    case "type":
      return [
        { field, message: `must be ${[rule].flat().map(article).join(" or ")}, but is ${given}` },
      ];
    case "enum":
      return [{ field, message: choice(rule, valueAt(value, path)) }];
    case "const":
      return [{ field, message: `must be ${JSON.stringify(rule)}, but is ${given}` }];
    case "pattern":
      return [{ field, message: `has the wrong form: ${given}${remark(schema, path)}` }];
    case "minLength":
      return [{ field, message: `must have at least ${rule} characters` }];
    case "maxLength":
      return [{ field, message: `must have at most ${rule} characters` }];
    case "minItems":
      return [{ field, message: `must have at least ${rule} entries` }];
    case "maxItems":
      return [{ field, message: `must have at most ${rule} entries` }];
    case "minimum":
      return [{ field, message: `must be at least ${rule}, but is ${given}` }];
    case "maximum":
      return [{ field, message: `must be at most ${rule}, but is ${given}` }];
    default:
      return [{ field, message: `is not accepted: ${given}${remark(schema, path)}` }];
  }
}

function missing(schema: Schema, path: Path, name: string): string {
  const member = propertiesOf(schemaAt(schema, path))[name];
  return `is missing${member ? remark(member, []) : ""}`;
}

function choice(rule: unknown, given: unknown): string {
  const accepted = Array.isArray(rule) ? rule.map(String) : [];
  const near = typeof given === "string" ? nearest(given, accepted) : undefined;
  if (near !== undefined) return `is ${shown(given)}: did you mean ${near}?`;
  return `must be one of ${accepted.join(", ")}, but is ${shown(given)}`;
}

/** The first sentence of what the contract says about a field. */
function remark(schema: Schema, path: Path): string {
  const { description } = resolved(schemaAt(schema, path));
  if (typeof description !== "string") return "";
  const sentence = /^.*?\.(?=\s|$)/s.exec(description)?.[0] ?? description;
  return `. ${sentence.replace(/\.$/, "")}`;
}

type Path = readonly (string | number)[];

/** The schema of a place in a value, as far as it does not depend on the value. */
export function schemaAt(schema: Schema, path: Path): Schema {
  let at = resolved(schema);
  for (const step of path) {
    const next = typeof step === "number" ? at.items : propertiesOf(at)[step];
    if (typeof next !== "object" || next === null) return {};
    at = resolved(next as Schema);
  }
  return at;
}

/** The value of a keyword, found along the way that the check took: `#/properties/a/$ref/pattern`. */
function ruleAt(schema: Schema, location: string): unknown {
  let at: unknown = schema;
  for (const step of pathOf(location)) {
    if (typeof at !== "object" || at === null) return undefined;
    const next: unknown = (at as Record<string, unknown>)[step];
    at = step === "$ref" ? definitions[String(next).slice("#/$defs/".length)] : next;
  }
  return at;
}

function valueAt(value: unknown, path: Path): unknown {
  let at: unknown = value;
  for (const step of path) at = Object(at)[step];
  return at;
}

/** The steps of a JSON pointer in a fragment. */
function pathOf(pointer: string): (string | number)[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** A place in a value, as messages name it: `accounts[0].curve`. */
function written(path: Path): string {
  return path
    .map((step, i) =>
      typeof step === "number" ? `[${step}]` : `${i === 0 ? "" : "."}${plain(step)}`,
    )
    .join("");
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return plain(text.length > 80 ? `${text.slice(0, 77)}...` : text);
}

function article(type: unknown): string {
  switch (type) {
    case "string":
      return "a text";
    case "integer":
      return "a whole number";
    case "array":
      return "a list";
    case "object":
      return "an object";
    case "boolean":
      return "true or false";
    default:
      return String(type);
  }
}
