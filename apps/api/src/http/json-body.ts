import { ApiError, shorten } from "@keyhearth/engine/errors";
import { parseFields } from "@keyhearth/engine/fields/parse";
import { parseObject } from "@keyhearth/engine/submission/envelope";
import type { Context } from "hono";
import type * as z from "zod";
import { decodeBody, type Env, headerOf } from "../wire/request.ts";
import { explainUnreadable } from "../wire/unreadable-json.ts";
import { assertStatedSize, readBody } from "./bodies.ts";
import type { HeldBytes } from "./held-bytes.ts";
import { assertFewValues } from "./many-values.ts";

type Reading = { address: string; held: HeldBytes; maxBytes: number };

/** What a page of the site sends. Forms of other sites cannot send this type without asking first. */
export async function readJsonBody<Schema extends z.ZodType>(
  c: Context<Env>,
  schema: Schema,
  reading: Reading,
): Promise<z.output<Schema>> {
  const type = headerOf(c, "content-type") ?? "";
  if (!/^application\/json *(;|$)/i.test(type)) {
    const given = type === "" ? "missing" : `\`${shorten(type)}\``;
    throw new ApiError(
      "INVALID_ARGUMENT",
      "BAD_REQUEST_BODY",
      `bad request body: \`Content-Type\` is ${given}; send application/json`,
    );
  }
  return parseFields(schema, await readObject(c, reading), "");
}

/** Nobody has to prove anything for these bodies, and a form, a question or a sign-up has some hundreds at most. */
const MAX_VALUES = 1000;

/** A body of at most so many bytes and few values, before it is parsed. */
export async function readSmall(c: Context<Env>, reading: Reading): Promise<Uint8Array> {
  const { bytes, settle } = await readBody(c, reading);
  settle();
  assertFewValues(bytes, MAX_VALUES);
  return bytes;
}

/** A body that is an object in JSON, of at most so many bytes. */
export async function readObject(
  c: Context<Env>,
  reading: Reading,
): Promise<Record<string, unknown>> {
  assertStatedSize(c, reading.maxBytes);
  const text = decodeBody(await readSmall(c, reading));
  return explainUnreadable(text, () => parseObject(text));
}
