import type { Expression } from "./ast.ts";
import type { Environment } from "./environment.ts";
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
  if (e.kind === "compare")
    return compare(e.operator, resolve(e.left, names), resolve(e.right, names));
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
    return items.map((item) => same(wanted, item)).includes(true);
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

function compare(operator: string, a: Value, b: Value): boolean {
  if (operator === "in")
    return elements(b)
      .map((item) => same(a, item))
      .includes(true);
  if (operator === "==") return same(a, b);
  if (operator === "!=") return !same(a, b);
  const difference = number(a) - number(b);
  if (operator === "<") return difference < 0n;
  if (operator === ">") return difference > 0n;
  return operator === "<=" ? difference <= 0n : difference >= 0n;
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
