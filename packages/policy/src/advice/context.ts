import { type Environment, LEFT_OUT, rootNamed } from "../environment.ts";
import { MAX_INT } from "../limits.ts";
import type { Value } from "../values.ts";

// What conditions read of a request, for people and for cases of policy tests. No decision uses it.

/**
 * The request as conditions see it, in JSON that `inputFromJson` turns into the same values. Everything is converted, so
 * a root that is made when it is read may throw.
 */
export function contextOf(environment: Environment): Record<string, unknown> {
  const roots = Object.keys(environment.inputs ?? {}).map((name) => {
    const value = rootNamed(environment, name);
    return [name, value === undefined ? undefined : write(value, name)] as const;
  });
  return Object.fromEntries(roots.filter(([, value]) => value !== undefined));
}

function write(value: Value, path: string): unknown {
  if (typeof value === "bigint") return integer(value);
  if (typeof value !== "object") return value;
  switch (value.kind) {
    case "folded":
      return isMarkedAnyway(value.text, path) ? value.text : { $ci: value.text };
    case "unusable":
      return { $unread: value.reason };
    case "instant":
      throw new TypeError(`${path} is a timestamp, which conditions do not have`);
    case "list":
      return value.items.map((item) => write(item, path));
    case "struct":
    case "map":
      return members(value.entries, path);
  }
}

function members(entries: Readonly<Record<string, Value | undefined>>, path: string) {
  const written: Record<string, unknown> = Object.create(null);
  for (const [name, entry] of Object.entries(entries)) {
    const isAbsent = entry === undefined || (typeof entry === "object" && isLeftOut(entry));
    if (!isAbsent) written[name] = write(entry, `${path}.${name}`);
  }
  const [mark = "", ...others] = Object.keys(written);
  const isMark = others.length === 0 && MARKS.has(mark) && typeof written[mark] === "string";
  return isMark ? { $unread: `an object whose only field is ${mark}` } : written;
}

const MARKS: ReadonlySet<string> = new Set(["$int", "$uint", "$ci", "$unread"]);

/** A parameter that the environment adds again. */
function isLeftOut(value: Exclude<Value, boolean | bigint | string>): boolean {
  return value.kind === "unusable" && value.reason === LEFT_OUT;
}

function integer(value: bigint): unknown {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  return value > MAX_INT ? { $uint: String(value) } : { $int: String(value) };
}

/** Addresses compare without regard to case wherever they stand, except in typed data, where the type of a member says so. */
function isMarkedAnyway(text: string, path: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text) && !path.startsWith("eth.eip_712.message");
}
