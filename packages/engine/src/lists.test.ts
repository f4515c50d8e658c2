import { expect, test } from "vitest";
import * as z from "zod";
import { activities } from "./activities/index.ts";

type List = { path: string; isOptional: boolean; schema: z.ZodType };

/** Every list in a schema, with its path and the wrappers around it. */
function listsIn(schema: z.ZodType, path: string, whole = schema): List[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    const inner = schema.unwrap();
    return inner instanceof z.ZodType ? listsIn(inner, path, whole) : [];
  }
  if (schema instanceof z.ZodArray) {
    const { element } = schema;
    const inner = element instanceof z.ZodType ? listsIn(element, `${path}[]`) : [];
    return [{ path, isOptional: whole instanceof z.ZodOptional, schema: whole }, ...inner];
  }
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([key, member]) =>
      member instanceof z.ZodType ? listsIn(member, `${path}.${key}`) : [],
    );
  }
  return [];
}

const lists = activities.flatMap(({ versions }) =>
  Object.entries(versions).flatMap(([type, { intent }]) => listsIn(intent, type)),
);
const optional = lists.filter(({ isOptional }) => isOptional);
const required = lists.filter(({ isOptional }) => !isOptional);

test("declarations have lists", () => {
  expect(required.length).toBeGreaterThan(60);
});

/** If one of these is left out, that means something else than an empty list. */
test("the lists that the contract does not require are these", () => {
  const members = new Set(optional.map(({ path }) => path.split(".").at(-1)));
  // Those of selectors, of what a browser returned at registration, of users, and of webhook endpoints.
  expect([...members].sort()).toEqual(["subscriptions", "targets", "transports", "userTagIds"]);
});

// The answer to a list that is left out is the answer to an empty one.
test.each(required)("$path reads as empty if it is left out", ({ schema }) => {
  expect(schema).toBeInstanceOf(z.ZodPrefault);
  const outcome = schema.safeParse(undefined);
  expect(outcome).toEqual(schema.safeParse([]));
  if (outcome.success) expect(outcome.data).toEqual([]);
});

test.each(required)("$path has a bound", ({ schema }) => {
  const { maxItems } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  expect(maxItems).toBeLessThanOrEqual(1000);
});
