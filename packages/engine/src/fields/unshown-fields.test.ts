import { expect, test } from "vitest";
import * as z from "zod";
import { activities } from "../activities/index.ts";
import { ApiError } from "../errors.ts";
import { parseFields } from "./parse.ts";

/** Anyone who reads one of these can do something with it. */
const secret = /^(\w*[tT]oken|otpCode|encryptedBundle|encryptedOtpBundle)$/;

/** A value with one field, at the end of a path. */
type Value = { path: string; value: Record<string, unknown> };

/** A value for every secret of a schema, with nothing else in it. */
function secretsIn(schema: z.ZodType, given: unknown, path = ""): Value[] {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, member]): Value[] => {
    const at = `${path}.${name}`;
    if (secret.test(name)) return [{ path: at, value: { [name]: given } }];
    const inner = withoutWrappers(member);
    if (inner instanceof z.ZodArray) {
      return secretsIn(withoutWrappers(inner.element), given, `${at}[0]`).map((found) => ({
        ...found,
        value: { [name]: [found.value] },
      }));
    }
    return secretsIn(inner, given, at).map((found) => ({
      ...found,
      value: { [name]: found.value },
    }));
  });
}

function withoutWrappers(schema: unknown): z.ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return withoutWrappers(schema.unwrap());
  }
  if (schema instanceof z.ZodType) return schema;
  throw new Error("not a schema");
}

function messageOf(schema: z.ZodType, value: Record<string, unknown>): string {
  try {
    parseFields(schema, value, "parameters");
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(value).slice(0, 100)}`);
}

const versions = activities.flatMap((declaration) => Object.entries(declaration.versions));

const cases = (given: unknown) =>
  versions.flatMap(([type, { intent }]) =>
    secretsIn(intent, given).map(({ path, value }) => ({ name: `${type}${path}`, intent, value })),
  );

test.each(cases("S3cr3t".repeat(20_000)))("a message does not show $name", ({ intent, value }) => {
  expect(messageOf(intent, value)).not.toContain("S3cr3t");
});

test.each(cases(["S3cr3t"]))("nor if it has another type: $name", ({ intent, value }) => {
  expect(messageOf(intent, value)).not.toContain("S3cr3t");
});

test("there are such fields", () => {
  expect(cases("").length).toBeGreaterThan(20);
});
