import type { FieldProblem, InvalidField } from "./errors.ts";
import { isId, isSignal, shown } from "./given-values.ts";
import { invalidFields } from "./invalid-fields.ts";

// The errors for arguments of calls that a compiler would have refused.

/** What is wrong with the options of a call. */
export function optionsProblem(given: unknown): InvalidField {
  if (typeof given !== "object" || given === null) {
    return invalidFields({
      field: "options",
      message: `must be an object, such as { organizationId }, but is ${shown(given)}`,
    });
  }
  const { organizationId, signal }: { organizationId?: unknown; signal?: unknown } = given;
  const fields: FieldProblem[] = [];
  if (organizationId !== undefined && !isId(organizationId)) {
    const what = "must be the UUID of an organization, or be left out for the connection's own";
    fields.push({ field: "organizationId", message: `${what}, but is ${shown(organizationId)}` });
  }
  if (signal !== undefined && !isSignal(signal)) {
    const message = "must be an AbortSignal, such as the signal of an AbortController";
    fields.push({ field: "signal", message });
  }
  return invalidFields(...fields);
}

export function stamperProblem(): InvalidField {
  return invalidFields({
    field: "stamper",
    message: "must return a promise of { name, value }: the name and the value of a header",
  });
}

export function jsonProblem(): InvalidField {
  return invalidFields({
    field: "parameters",
    message: "cannot be written as JSON. Give large numbers as text, and no object inside itself",
  });
}
