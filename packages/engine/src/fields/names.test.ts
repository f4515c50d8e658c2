import { expect, test } from "vitest";
import * as z from "zod";
import { activities } from "../activities/index.ts";

// Right-to-left override, an isolate, a mark, a control character of each range, and line separators.
const refused = [
  "\u202e",
  "\u2066",
  "\u200f",
  "\u061c",
  "\u0000",
  "\u001b",
  "\u007f",
  "\u0085",
  "\u2028",
];

/** Every name that a schema contains, with its path. */
function namesIn(schema: z.ZodType, path: string): [string, z.ZodType][] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    const inner = schema.unwrap();
    return inner instanceof z.ZodType ? namesIn(inner, path) : [];
  }
  if (schema instanceof z.ZodArray) {
    return schema.element instanceof z.ZodType ? namesIn(schema.element, `${path}[]`) : [];
  }
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([key, member]) =>
      member instanceof z.ZodType ? namesIn(member, `${path}.${key}`) : [],
    );
  }
  // An enum takes only names of its own.
  if (schema instanceof z.ZodEnum) return [];
  return /(name|label)$/i.test(path) ? [[path, schema]] : [];
}

const names = activities.flatMap(({ versions }) =>
  Object.entries(versions).flatMap(([type, { intent }]) => namesIn(intent, type)),
);

test("declarations have names", () => {
  expect(names.length).toBeGreaterThan(40);
});

test.each(names)("%s refuses characters that make it look like another name", (_path, schema) => {
  for (const character of refused) {
    const outcome = schema.safeParse(`trea${character}sury`);
    expect(outcome.error?.issues.map(({ message }) => message)).toEqual([
      "must not contain control characters or characters that change the direction of text",
    ]);
  }
  for (const name of ["treasury", "שלום", "خزينة", "👨‍👩‍👧", "क्‍ष"]) {
    expect(schema.safeParse(name).success).toBe(true);
  }
});
