import type { Expression } from "./ast.ts";
import type { Environment } from "./environment.ts";
import { mapChildren } from "./logic/keys.ts";
import { print } from "./print.ts";
import type { Value } from "./values.ts";

/**
 * A second evaluator, written from the rules alone: plain recursion, JavaScript's exceptions for
 * errors, no preparation and no limits. A difference between the two shows a mistake in one of
 * them.
 */
export function interpret(expression: Expression, environment: Environment): boolean | "error" {
  try {
    const result = resolve(expression, environment.entries);
    return typeof result === "boolean" ? result : "error";
  } catch (error) {
    if (error === NO_VALUE) return "error";
    throw error;
  }
}

const NO_VALUE = new Error("no value");

/** Why a part of a DENY has no value. Of several reasons, the first of this list counts. */
const TROUBLES = ["absent root", "error", "absent field"] as const;

type Trouble = (typeof TROUBLES)[number];

/** What a DENY makes of an expression: a second reading of the rules for errors in a DENY. */
export function interpretDenial(expression: Expression, environment: Environment) {
  const result = weigh(expression, environment.entries, []);
  if (typeof result === "boolean" || isTrouble(result)) return result;
  return "error";
}

function isTrouble(value: Value | Trouble | { value: Value }): value is Trouble {
  return TROUBLES.some((trouble) => trouble === value);
}

/** The value, or the trouble. A text is wrapped, so that no text is taken for a trouble. */
function weigh(
  e: Expression,
  names: Names,
  bound: readonly string[],
): boolean | Trouble | { value: Value } {
  if (e.kind === "and" || e.kind === "or") {
    const sides = e.operands.map((side) => truthOrTrouble(weigh(side, names, bound)));
    return settle(sides, e.kind === "or");
  }
  if (e.kind === "quantifier") {
    const object = weigh(e.object, names, bound);
    if (isTrouble(object)) return object;
    if (typeof object === "boolean" || !isOf(object.value, "list")) return "error";
    const { items } = object.value;
    const sides = items.map((item) => {
      const inner = { ...names, [e.variable]: item };
      return truthOrTrouble(weigh(e.predicate, inner, [...bound, e.variable]));
    });
    if (e.name !== "filter") return settle(sides, e.name === "any");
    const trouble = worst(sides);
    return trouble ?? { value: { kind: "list", items: items.filter((_, i) => sides[i] === true) } };
  }
  const parts: (boolean | Trouble | { value: Value })[] = [];
  const given: Record<string, Value | undefined> = { ...names };
  const flat = mapChildren(e, (child) => {
    const part = weigh(child, names, bound);
    const name = `part ${parts.length}`;
    if (!isTrouble(part)) given[name] = typeof part === "boolean" ? part : part.value;
    parts.push(part);
    // Quoted digits mean numbers only where they are written out.
    return isInDigits(child) ? child : { kind: "name", name, start: 0, end: 0 };
  });
  const trouble = worst(parts);
  if (trouble) return trouble;
  const isElement = (e.kind === "compare" && e.operator === "in") || e.kind === "method";
  if (isElement) {
    const found = lookFor(e, given);
    if (found !== undefined) return found;
  }
  try {
    const value = resolve(flat, given);
    return typeof value === "boolean" ? value : { value };
  } catch (error) {
    if (error !== NO_VALUE) throw error;
    return absenceOf(e, given, bound);
  }
}

/** A list that holds the value holds it whatever its other elements are. */
function lookFor(e: Expression, given: Names): true | undefined {
  if (e.kind === "method" && e.arguments.length === 0) return undefined;
  const [first, second] = [given["part 0"], given["part 1"]];
  const [wanted, list] = e.kind === "method" ? [second, first] : [first, second];
  const [one, other] = mapsTo(e);
  if (wanted === undefined || list === undefined || !isOf(list, "list")) return undefined;
  const isFound = list.items.some((item) => {
    try {
      return sameAs(wanted, item, one, other);
    } catch {
      return false;
    }
  });
  return isFound || undefined;
}

/** The item and the list of a test that the list holds the item. */
function mapsTo(e: Expression): [Expression, Expression] {
  if (e.kind === "compare") return [e.left, e.right];
  if (e.kind === "method") return [e.arguments[0] ?? e.object, e.object];
  return [e, e];
}

function truthOrTrouble(part: ReturnType<typeof weigh>): boolean | Trouble {
  return typeof part === "object" ? "error" : part;
}

function settle(sides: readonly (boolean | Trouble)[], decisive: boolean): boolean | Trouble {
  const trouble = worst(sides);
  if (trouble === "absent root") return trouble;
  if (sides.includes(decisive)) return decisive;
  return trouble ?? !decisive;
}

function worst(parts: readonly (boolean | Trouble | { value: Value })[]): Trouble | undefined {
  return TROUBLES.find((trouble) => parts.includes(trouble));
}

/** Judged by the text of the path and by whether anything is there. */
function absenceOf(e: Expression, given: Names, bound: readonly string[]): Trouble {
  const text = print(e);
  if (bound.includes(/^\w*/.exec(text)?.[0] ?? "")) return "error";
  const object = given["part 0"];
  const key = e.kind === "field" ? e.name : given["part 1"];
  const isThere =
    e.kind === "name"
      ? given[e.name] !== undefined
      : typeof object !== "object" ||
        !("entries" in object) ||
        isOf(object, e.kind === "field" ? "map" : "struct") ||
        object.entries[String(key)] !== undefined;
  if (isThere) return "error";
  if (ABSENT_ROOT.test(text)) return "absent root";
  return ABSENT_FIELD.test(text) ? "absent field" : "error";
}

const ABSENT_ROOT =
  /^(wallets?|wallet_account|private_key|secret|(eth|solana|tron|bitcoin|tempo)(\.(tx|eip_712|eip_7702_authorization))?)$/;
const ABSENT_FIELD =
  /^(activity\.params\.\w+|wallet_account\.path_\w+|eth\.tx\.(max_fee_per_blob_gas|contract_call_args(\['[^']*'\])?)|eth\.eip_712\.message(\['[^']*'\])+)$/;

type Tagged = Exclude<Value, boolean | bigint | string>;

type Names = Readonly<Record<string, Value | undefined>>;

function resolve(e: Expression, names: Names): Value {
  if (e.kind === "bool" || e.kind === "int" || e.kind === "string") return e.value;
  if (e.kind === "name") return read(Object.hasOwn(names, e.name) ? names[e.name] : undefined);
  if (e.kind === "list") {
    return { kind: "list", items: e.items.map((item) => resolve(item, names)) };
  }
  if (e.kind === "struct") {
    const pairs = e.members.map(({ name, value }) => [name, resolve(value, names)]);
    return { kind: "struct", entries: Object.fromEntries(pairs) };
  }
  if (e.kind === "and") return e.operands.map((side) => truth(resolve(side, names))).every(Boolean);
  if (e.kind === "or") return e.operands.map((side) => truth(resolve(side, names))).some(Boolean);
  if (e.kind === "not") return !truth(resolve(e.operand, names));
  if (e.kind === "compare") {
    return compare(e, resolve(e.left, names), resolve(e.right, names));
  }
  if (e.kind === "field") {
    const object = resolve(e.object, names);
    if (isOf(object, "list") && e.name === "count") return BigInt(object.items.length);
    if (!isOf(object, "struct")) throw NO_VALUE;
    return read(Object.hasOwn(object.entries, e.name) ? object.entries[e.name] : undefined);
  }
  if (e.kind === "index") {
    const object = resolve(e.object, names);
    const index = resolve(e.index, names);
    if (isOf(object, "map")) {
      const key = text(index);
      return read(Object.hasOwn(object.entries, key) ? object.entries[key] : undefined);
    }
    if (isOf(object, "list")) return read(pick(object.items, number(index)));
    return sameCase(object, read(pick([...text(object)], number(index))) as string);
  }
  if (e.kind === "slice") {
    const object = resolve(e.object, names);
    const [from, to] = [number(resolve(e.from, names)), number(resolve(e.to, names))];
    if (isOf(object, "list")) return { kind: "list", items: cut(object.items, from, to) };
    return sameCase(object, cut([...text(object)], from, to).join(""));
  }
  if (e.kind === "call") {
    const [argument] = e.arguments;
    if (e.name !== "CaseInsensitiveString" || !argument) throw new Error(`${e.name} is not here`);
    return lower(text(resolve(argument, names)));
  }
  if (e.kind === "method") {
    const items = elements(resolve(e.object, names));
    const [argument] = e.arguments;
    if (!argument) return BigInt(items.length);
    const wanted = resolve(argument, names);
    return items.map((item) => sameAs(wanted, item, argument, e.object)).includes(true);
  }
  if (e.kind !== "quantifier") throw new Error(`${e.kind} is not here`);
  const items = elements(resolve(e.object, names));
  const holds = items.map((item) => {
    return truth(resolve(e.predicate, { ...names, [e.variable]: item }));
  });
  if (e.name === "all") return !holds.includes(false);
  if (e.name === "any") return holds.includes(true);
  return { kind: "list", items: items.filter((_, i) => holds[i]) };
}

function compare(e: Expression & { kind: "compare" }, a: Value, b: Value): boolean {
  const { operator, left, right } = e;
  if (operator === "in") {
    return elements(b)
      .map((item) => sameAs(a, item, left, right))
      .includes(true);
  }
  if (operator === "==") return sameAs(a, b, left, right);
  if (operator === "!=") return !sameAs(a, b, left, right);
  const difference = number(a) - number(b);
  if (operator === "<") return difference < 0n;
  if (operator === ">") return difference > 0n;
  return operator === "<=" ? difference <= 0n : difference >= 0n;
}

/** Whether a side of a comparison is written out as quoted digits, or a list of such. */
function isInDigits(e: Expression): boolean {
  if (e.kind === "list") return e.items.length > 0 && e.items.every(isInDigits);
  return e.kind === "string" && /^(0|-?[1-9]\d{0,77})$/.test(e.value);
}

/** An integer is the same as its quoted digits. */
function sameAs(a: Value, b: Value, left: Expression, right: Expression): boolean {
  const isOfDigits =
    (typeof a === "bigint" && typeof b === "string" && isInDigits(right)) ||
    (typeof a === "string" && typeof b === "bigint" && isInDigits(left));
  return isOfDigits ? String(a) === String(b) : same(a, b);
}

function same(a: Value, b: Value): boolean {
  if (typeof a === "boolean" && typeof b === "boolean") return a === b;
  if (typeof a === "bigint" && typeof b === "bigint") return a === b;
  if (isOf(a, "folded") || isOf(b, "folded")) return lower(text(a)) === lower(text(b));
  return text(a) === text(b);
}

function sameCase(original: Value, part: string): Value {
  return isOf(original, "folded") ? { kind: "folded", text: part, lower: lower(part) } : part;
}

function lower(s: string) {
  return [...s].map((c) => (c >= "A" && c <= "Z" ? c.toLowerCase() : c)).join("");
}

function pick<T>(items: readonly T[], index: bigint): T | undefined {
  return items.find((_, i) => BigInt(i) === index);
}

function cut<T>(items: readonly T[], from: bigint, to: bigint): T[] {
  if (from < 0n || from > to || to > BigInt(items.length)) throw NO_VALUE;
  return items.filter((_, i) => BigInt(i) >= from && BigInt(i) < to);
}

function read(value: Value | undefined): Value {
  if (value === undefined || isOf(value, "unusable")) throw NO_VALUE;
  return value;
}

function truth(value: Value): boolean {
  if (typeof value !== "boolean") throw NO_VALUE;
  return value;
}

function number(value: Value): bigint {
  if (typeof value !== "bigint") throw NO_VALUE;
  return value;
}

function text(value: Value): string {
  if (typeof value === "string") return value;
  if (!isOf(value, "folded")) throw NO_VALUE;
  return value.text;
}

function elements(value: Value): readonly Value[] {
  if (!isOf(value, "list")) throw NO_VALUE;
  return value.items;
}

function isOf<K extends Tagged["kind"]>(value: Value, kind: K): value is Tagged & { kind: K } {
  return typeof value === "object" && value.kind === kind;
}
