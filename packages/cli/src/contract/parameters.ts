import type { Given } from "../command.ts";
import { InputError } from "../errors.ts";
import { parseJson, readJson } from "../json.ts";
import { faultsOf } from "./check.ts";
import { setField } from "./fields.ts";
import type { Operation, Schema } from "./operations.ts";

/** The parameters of a file and of the command line, after the contract has accepted them. */
export async function parametersOf(
  given: Given,
  schema: Schema,
  operation: Operation,
  organizationId: string,
): Promise<Record<string, unknown>> {
  const file = given.option("parameters");
  const parameters = file === undefined ? {} : await parametersIn(file);
  for (const field of given.words(1)) setField(parameters, field, schema);
  const isQuery = operation.defaultType === undefined;
  const own = isQuery ? { ...parameters, organizationId } : parameters;
  const faults = faultsOf(own, schema);
  if (faults.length === 0) return parameters;
  const sentences = faults.map(({ field, message }) => `${field} ${message}`);
  const hint = `\`keyhearth call ${operation.name} --fields\` describes them`;
  throw new InputError(
    faults.length === 1
      ? `${sentences[0]}${sentences[0]?.endsWith("?") ? "" : "."} ${hint}`
      : `${faults.length} fields of ${operation.name} are wrong. ${hint}`,
    { fields: faults, ...(faults.length > 1 && { excerpt: sentences }) },
  );
}

async function parametersIn(file: string): Promise<Record<string, unknown>> {
  const { source, file: label } = await readJson(file);
  // Parsed before, with its places: no member is there twice.
  const value: unknown = JSON.parse(parseJson(label, source).source);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new InputError(`${label} must contain an object with the fields of the operation`);
}
