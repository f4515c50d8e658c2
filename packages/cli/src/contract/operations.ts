import { nearest } from "@keyhearth/policy/errors";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";
import requests from "./generated/requests.json" with { type: "json" };

/** A schema of the contract, as the service publishes it. References lead to `definitions`. */
export type Schema = { readonly [keyword: string]: unknown };

/** An operation, and what it takes. */
export type Operation = {
  readonly name: string;
  readonly path: string;
  /** The name of the SDK's call. */
  readonly operationId: string;
  readonly summary: string;
  /** The activity type without a choice. Undefined for a query. */
  readonly defaultType?: string;
  /** Of each activity type, what its parameters are. A query has one, without a name: its whole body. */
  readonly versions: Readonly<Record<string, Schema>>;
};

// Written by a script that knows these types.
const { operations, $defs } = requests as unknown as {
  operations: Record<string, Omit<Operation, "name">>;
  $defs: Record<string, Schema>;
};

export const definitions: Readonly<Record<string, Schema>> = $defs;

export function listOperations(): Operation[] {
  return Object.entries(operations).map(([name, operation]) => ({ name, ...operation }));
}

/** The operation of that name. `create-wallet` and `createWallet` are the same. */
export function findOperation(given: string): Operation {
  const name = given.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll("-", "_");
  const found = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (found) return { name, ...found };
  const near = nearest(name, Object.keys(operations));
  const hint = near ? `did you mean ${near}?` : "`keyhearth call --list` shows all of them";
  throw new InputError(`there is no operation ${plain(given.slice(0, 100))}: ${hint}`);
}

/** The version of an operation, and the schema of what a caller gives. */
export function versionOf(operation: Operation, type: string | undefined): [string, Schema] {
  const types = Object.keys(operation.versions);
  const wanted = type ?? operation.defaultType ?? "";
  const schema = operation.versions[wanted];
  if (schema && (type === undefined || operation.defaultType !== undefined)) {
    return [wanted, schema];
  }
  if (operation.defaultType === undefined) {
    throw new InputError(`${operation.name} is a query, which has no types: leave out --type`);
  }
  throw new InputError(`--type must be ${types.join(" or ")}, but is \`${plain(wanted)}\``);
}

/** The schema that a reference leads to, with what is beside the reference. */
export function resolved(schema: Schema): Schema {
  if (typeof schema.$ref !== "string") return schema;
  const target = definitions[schema.$ref.slice("#/$defs/".length)];
  return target ? { ...resolved(target), ...schema, $ref: undefined } : schema;
}

/** The members of an object that a schema describes. */
export function propertiesOf(schema: Schema): Record<string, Schema> {
  const { properties } = resolved(schema);
  return typeof properties === "object" && properties !== null
    ? (properties as Record<string, Schema>)
    : {};
}
