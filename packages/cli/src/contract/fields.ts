import { InputError } from "../errors.ts";
import { plain } from "../output.ts";
import { schemaAt } from "./check.ts";
import { resolved, type Schema } from "./operations.ts";

type Path = readonly (string | number)[];

/**
 * Sets a field of a request, such as `walletName=treasury` or `accounts[0].path=m/44'/60'/0'/0/0`. The schema says
 * whether the value is text or JSON.
 */
export function setField(target: Record<string, unknown>, given: string, schema: Schema): void {
  const [, place = "", value = ""] = /^([\w.[\]]+)=(.*)$/s.exec(given) ?? [];
  const path = pathOf(place);
  if (path === undefined) {
    throw new InputError(
      `a field must be written as NAME=VALUE, such as walletName=treasury, but is ${JSON.stringify(plain(given.slice(0, 60)))}`,
    );
  }
  let at: unknown = target;
  path.forEach((step, i) => {
    const container = at as Record<string | number, unknown>;
    const next = path[i + 1];
    if (next === undefined) container[step] = typed(value, schemaAt(schema, path), place);
    else {
      const known = container[step];
      at = typeof known === "object" && known !== null ? known : typeof next === "number" ? [] : {};
      container[step] = at;
    }
  });
}

function pathOf(place: string): Path | undefined {
  if (!/^[a-z]\w*(\.[a-z]\w*|\[\d{1,3}\])*$/i.test(place)) return undefined;
  const steps = place.match(/\w+/g) ?? [];
  // These would change what every object has.
  if (steps.some((step) => ["__proto__", "constructor", "prototype"].includes(step)))
    return undefined;
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** A value as the contract wants it there. Where it cannot be that, it stays text, and the check says what is wrong. */
function typed(value: string, schema: Schema, place: string): unknown {
  const types = typesOf(schema);
  if (types.includes("string") && !(types.includes("integer") && /^\d{1,9}$/.test(value))) {
    return value;
  }
  if (/^(true|false|null|-?\d{1,15})$/.test(value)) return JSON.parse(value);
  if (!types.some((type) => type === "array" || type === "object")) return value;
  try {
    return JSON.parse(value);
  } catch (cause) {
    throw new InputError(
      `${place} must be JSON, but is ${JSON.stringify(plain(value.slice(0, 60)))}: put it in single quotes, or give a file with --parameters`,
      {},
      { cause },
    );
  }
}

function typesOf(schema: Schema): unknown[] {
  const { type, anyOf } = resolved(schema);
  const alternatives = Array.isArray(anyOf) ? anyOf : [];
  return [...[type ?? []].flat(), ...alternatives.flatMap((each: Schema) => typesOf(each))];
}
