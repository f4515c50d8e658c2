import * as calls from "@keyhearth/sdk";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import {
  findOperation,
  listOperations,
  type Operation,
  propertiesOf,
  resolved,
  type Schema,
  versionOf,
} from "../contract/operations.ts";
import { parametersOf } from "../contract/parameters.ts";
import { unposted } from "../contract/unposted.ts";
import { InputError } from "../errors.ts";
import { columns, indent, jsonText, oneLine, type Report, wrap } from "../output.ts";

/** Calls an operation of the contract, by its name. */
export async function call(given: Given, surroundings: Surroundings): Promise<Report> {
  const name = given.wordIfAny(0);
  if (given.has("list")) return listed(name);
  if (name === undefined) throw new InputError("call needs the name of an operation, or --list");
  const operation = findOperation(name);
  const [type, schema] = versionOf(operation, given.option("type"));
  if (given.has("fields")) return fieldsOf(operation, type, schema);
  const connected = await connect(given, surroundings);
  const { organizationId } = connected;
  const parameters = await parametersOf(given, schema, operation, organizationId);
  if (operation.defaultType === undefined) {
    const body = JSON.stringify({ ...parameters, organizationId });
    if (given.has("no-post")) return unposted(destination(connected), operation.path, body);
    return shown(await callOf(operation)(connected.client, parameters, {}));
  }
  const timestampMs = given.option("timestamp-ms") ?? String(Date.now());
  if (!/^\d{10,15}$/.test(timestampMs)) {
    throw new InputError("--timestamp-ms must be a time in milliseconds, such as 1767225600000");
  }
  if (given.has("no-post")) {
    const body = JSON.stringify({ type, timestampMs, organizationId, parameters });
    return unposted(destination(connected), operation.path, body);
  }
  return shown(await callOf(operation)(connected.client, parameters, { type, timestampMs }));
}

type Call = (client: calls.Connection, parameters: object, options: object) => Promise<object>;

/** The SDK has a call for each operation of the contract, under its operation id. */
function callOf({ operationId, name }: Operation): Call {
  const found = (calls as Record<string, unknown>)[operationId];
  if (typeof found === "function") return found as Call;
  throw new InputError(`this version of the command cannot call ${name}: update it`);
}

function destination({ client, url }: { client: calls.KeyhearthClient; url: string }) {
  return { url, stamper: client.stamper };
}

function shown(answer: object): Report {
  return {
    exitCode: 0,
    json: answer,
    text: () => {
      // The activity repeats what was asked. Programs get it.
      const { activity, ...result } = answer as { activity?: { id?: unknown } };
      const isResult = activity !== undefined && Object.keys(result).length > 0;
      return jsonText(isResult ? result : answer);
    },
  };
}

function listed(word: string | undefined): Report {
  const found = listOperations()
    .filter(({ name, summary }) => `${name} ${summary}`.includes(word ?? ""))
    .map(({ name, summary, defaultType }) => ({
      name,
      summary,
      isQuery: defaultType === undefined,
    }));
  return {
    exitCode: 0,
    json: { operations: found },
    text: () => columns(found.map(({ name, summary }) => [name, summary])).join("\n"),
  };
}

function fieldsOf(operation: Operation, type: string, schema: Schema): Report {
  const { required } = resolved(schema);
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const fields = Object.entries(propertiesOf(schema))
    // The connection completes it.
    .filter(([name]) => operation.defaultType !== undefined || name !== "organizationId")
    .map(([name, member]) => ({ name, isRequired: isRequired(name), ...describe(member) }));
  const types = Object.keys(operation.versions).filter((each) => each !== "");
  return {
    exitCode: 0,
    json: { name: operation.name, summary: operation.summary, type, types, fields, schema },
    text: (paint) =>
      [
        `${operation.name}: ${operation.summary}${type === "" ? "" : `, ${type}`}`,
        ...fields.flatMap((field) => [
          "",
          `${paint("bold", field.name)}  ${field.type}${field.isRequired ? ", required" : ""}`,
          ...indent(wrap(oneLine(field.description))),
        ]),
        ...(types.length > 1 ? ["", ...wrap(`types: ${types.join(", ")}`)] : []),
      ].join("\n"),
  };
}

/** The form of a field in words, down to the members of what it contains. */
function describe(member: Schema, depth = 0): { type: string; description: string } {
  const schema = resolved(member);
  const description = typeof schema.description === "string" ? schema.description : "";
  return { type: formOf(schema, depth), description };
}

function formOf(schema: Schema, depth: number): string {
  const { type, enum: values, items, anyOf } = schema;
  if (Array.isArray(values)) return values.join(" | ");
  if (Array.isArray(anyOf)) {
    return anyOf.map((each: Schema) => formOf(resolved(each), depth)).join(" | ");
  }
  if (type === "array" && typeof items === "object" && items !== null) {
    return `[ ${describe(items as Schema, depth).type} ]`;
  }
  const members = Object.keys(propertiesOf(schema));
  if (type === "object" && members.length > 0 && depth < 2) return `{ ${members.join(", ")} }`;
  return String(type ?? "any");
}
