import { endOfString, isFollowedByColon } from "@keyhearth/crypto/encoding/json";
import { activities } from "@keyhearth/engine/activities/index";
import { ApiError, shorten } from "@keyhearth/engine/errors";
import * as z from "zod";
import { queries } from "../queries/index.ts";
import { decodeBody } from "../wire/request.ts";

/** Released clients send a few that mean nothing. */
export const MAX_UNKNOWN = 100;

/** More of them help nobody. */
const MAX_NAMED = 5;

/**
 * Refuses a large body with many members that no request has, before it is parsed: tens of thousands of different names
 * take the one thread far longer than a body of the same size that means something.
 */
export function assertFewUnknown(body: Uint8Array, known: ReadonlySet<string>) {
  if (hasFewMembers(body)) return;
  const text = decodeBody(body);
  const unknown: string[] = [];
  let end = -1;
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', end + 1)) {
    end = endOfString(text, start);
    // The parser says what is wrong.
    if (end < 0) return;
    if (!isFollowedByColon(text, end)) continue;
    const name = text.slice(start + 1, end);
    if (known.has(name)) continue;
    unknown.push(name);
    if (unknown.length > MAX_UNKNOWN) throw tooManyUnknown(unknown);
  }
}

/** Most large bodies have a few long members, and are decoded only where they are parsed. */
function hasFewMembers(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  let colon = -1;
  for (let members = 0; members <= MAX_UNKNOWN; members++) {
    colon = bytes.indexOf(COLON, colon + 1);
    if (colon < 0) return true;
  }
  return false;
}

const COLON = 0x3a;

function tooManyUnknown(unknown: string[]): ApiError {
  const names = [...new Set(unknown)].slice(0, MAX_NAMED).map((name) => `\`${shorten(name)}\``);
  return new ApiError(
    "INVALID_ARGUMENT",
    "FIELD_UNKNOWN",
    `invalid request body: more than ${MAX_UNKNOWN} unknown fields, the first of them ${names.join(", ")}; send only fields of the endpoint`,
    { field: shorten(unknown[0] ?? "") },
  );
}

/** The names of all members that any request may have, at whatever depth. */
export function namesOfMembers(): ReadonlySet<string> {
  const names = new Set([
    "type",
    "timestampMs",
    "organizationId",
    "parameters",
    "generateAppProofs",
  ]);
  const seen = new Set<z.ZodType>();

  function add(schema: z.ZodType) {
    if (seen.has(schema)) return;
    seen.add(schema);
    if (schema instanceof z.ZodObject)
      for (const name of Object.keys(schema.shape)) names.add(name);
    // What a schema is made of is in its definition: one by one, in lists or by name.
    for (const part of Object.values(schema.def)) {
      const parts = typeof part === "object" && part !== null ? Object.values(part) : [];
      for (const each of [part, ...parts]) if (each instanceof z.ZodType) add(each);
    }
  }

  for (const { request } of queries) add(request);
  for (const { versions } of activities) {
    for (const { intent } of Object.values(versions)) add(intent);
  }
  return names;
}
