import { type FieldProblem, InvalidField } from "./errors.ts";

/** The error for options and arguments that cannot be used. Names all of them. */
export function invalidFields(...fields: FieldProblem[]): InvalidField {
  const message = fields.map(({ field, message }) => `${field} ${message}`).join("; ");
  return new InvalidField(message, { code: "INVALID_OPTION", fields });
}

/** Throws `InvalidField` for something else in the place of a connection. */
export function checkConnection(connection: { perform: unknown }): void {
  if (typeof connection?.perform === "function") return;
  throw invalidFields({
    field: "connection",
    message: "must be a Connection or a KeyhearthClient",
  });
}
