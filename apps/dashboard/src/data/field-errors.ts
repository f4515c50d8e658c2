import { Conflict, InvalidField } from "@keyhearth/sdk";

/**
 * Sorts what the service says about a request by the fields of the form that made it. `parameters.users[0].userName` is the
 * field `userName` if the form has one, or `users.0.userName`. `rest` is what no field can show.
 */
export function fieldErrors<Name extends string>(
  error: unknown,
  names: readonly Name[],
  renamed: Readonly<Record<string, Name>> = {},
): { atFields: { name: Name; message: string }[]; rest: unknown } {
  // A name or a path that is taken is a conflict about one field.
  if (!(error instanceof InvalidField || error instanceof Conflict)) {
    return { atFields: [], rest: error };
  }
  const { field, serviceMessage, message } = error;
  const fields = error instanceof InvalidField ? error.fields : [];
  const problems =
    fields.length > 0
      ? fields
      : field === undefined
        ? []
        : [{ field, message: serviceMessage ?? message }];
  const atFields = problems.flatMap((problem) => {
    const path = problem.field.replace(/^parameters\./, "").replace(/\[(\d+)\]/g, ".$1");
    const last = path.slice(path.lastIndexOf(".") + 1);
    const name =
      renamed[path] ??
      renamed[last] ??
      names.find((each) => each === path) ??
      names.find((each) => each === last);
    return name === undefined ? [] : [{ name, message: sentence(problem.message) }];
  });
  return {
    atFields,
    rest: atFields.length === problems.length && atFields.length > 0 ? undefined : error,
  };
}

/** The service names the field first, which the form shows already. */
function sentence(message: string): string {
  const text = message.replace(/^`[^`]+` /, "").replace(/ See https?:\/\/\S+$/, "");
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
