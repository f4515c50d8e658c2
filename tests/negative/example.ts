import * as z from "zod";

/** What an organization has that requests can name. */
export type Names = {
  /** The id, address or fingerprint for a field. The example of an id says what the id is of. */
  referenceOf(field: string, example: string | undefined): string | undefined;
  /** Any other text for a field. */
  textOf(field: string): string | undefined;
};

/** The schema inside optional ones, defaults and transformations: it says what kind of value it is. */
export function core(schema: z.ZodType): z.ZodType {
  const inner = within(schema);
  return inner ? core(inner) : schema;
}

function within(schema: z.ZodType): z.ZodType | undefined {
  let inner: unknown;
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    inner = schema.unwrap();
  } else if (schema instanceof z.ZodPipe) inner = schema.in;
  return inner instanceof z.ZodType ? inner : undefined;
}

/** A text that the schema gives as an example, also if a schema around it adds to it. */
export function exampleText(schema: z.ZodType): string | undefined {
  const own = [schema.meta()?.examples ?? []].flat()[0];
  if (typeof own === "string") return own;
  const inner = within(schema);
  return inner && exampleText(inner);
}

/** A valid value with every field filled that may be. Ids name what is in the world. */
export function exampleOf(schema: z.ZodType, field: string, names: Names): unknown {
  const known = core(schema);
  if (known instanceof z.ZodObject) {
    const members = Object.entries(known.shape).flatMap(([name, member]): [string, unknown][] => {
      const value = exampleOf(member, name, names);
      // Some optional fields are only declared, and refused if they are given.
      const isRefused = !isRequired(member) && !member.safeParse(value).success;
      return isRefused ? [] : [[name, value]];
    });
    const without = (left: string) => Object.fromEntries(members.filter(([name]) => name !== left));
    const whole = without("");
    if (schema.safeParse(whole).success) return whole;
    // Of two fields that exclude each other, the first one is left out.
    const optional = Object.entries(known.shape).filter(([, member]) => !isRequired(member));
    const spare = optional.find(([name]) => schema.safeParse(without(name)).success);
    return spare ? without(spare[0]) : whole;
  }
  if (known instanceof z.ZodArray) {
    const element = exampleOf(known.element as z.ZodType, field, names);
    return schema.safeParse([element]).success ? [element] : [];
  }
  if (known instanceof z.ZodEnum) return known.options[0];
  if (known instanceof z.ZodBoolean) return true;
  if (known instanceof z.ZodNumber) {
    const { enum: choices, minimum } = known.meta() ?? {};
    return choices ? 12 : (minimum ?? 1);
  }
  if (known instanceof z.ZodRecord) return {};
  const example = exampleText(schema);
  return names.referenceOf(field, example) ?? names.textOf(field) ?? example ?? `any ${field}`;
}

/** The fields that an example leaves out, because they are refused whatever they have. */
export function fieldsLeftOut(schema: z.ZodType, value: unknown, field = ""): string[] {
  const known = core(schema);
  if (known instanceof z.ZodArray && Array.isArray(value)) {
    const element = known.element as z.ZodType;
    return value.length === 0 ? [`${field}[]`] : fieldsLeftOut(element, value[0], `${field}[]`);
  }
  if (!(known instanceof z.ZodObject) || typeof value !== "object" || value === null) return [];
  return Object.entries(known.shape).flatMap(([name, member]) => {
    const at = field === "" ? name : `${field}.${name}`;
    // Each member of an example has the member's name.
    const given = (value as Record<string, unknown>)[name];
    return given === undefined ? [at] : fieldsLeftOut(member, given, at);
  });
}

export function isRequired(schema: z.ZodType): boolean {
  return !schema.safeParse(undefined).success;
}
