import { readFileSync } from "node:fs";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import type { ApiError } from "@keyhearth/engine/errors";
import { expect, test } from "vitest";
import { assertFewUnknown, MAX_UNKNOWN, namesOfMembers } from "./unknown-members.ts";

const known = new Set(["organizationId", "accounts", "path"]);

function refusalOf(body: string): ApiError | null {
  try {
    assertFewUnknown(encodeUtf8(body), known);
    return null;
  } catch (error) {
    return error as ApiError;
  }
}

const members = (count: number) => Array.from({ length: count }, (_, i) => [`x${i}`, i]);

test("as many unknown members as clients may send are accepted, and one more is refused", () => {
  const few = Object.fromEntries(members(MAX_UNKNOWN));
  expect(refusalOf(JSON.stringify({ organizationId: "a", ...few }))).toBeNull();
  expect(refusalOf(JSON.stringify({ organizationId: "a", ...few, more: 1 }))).toMatchObject({
    code: "INVALID_ARGUMENT",
    reason: "FIELD_UNKNOWN",
    field: "x0",
    message:
      "invalid request body: more than 100 unknown fields, the first of them `x0`, `x1`, `x2`, `x3`, `x4`; send only fields of the endpoint",
  });
});

test("they count together, wherever they are and however often one is repeated", () => {
  const accounts = Array.from({ length: MAX_UNKNOWN + 1 }, () => ({ path: "m", y: { path: 1 } }));
  expect(refusalOf(JSON.stringify({ accounts }))?.message).toContain("the first of them `y`;");
  expect(refusalOf(JSON.stringify({ accounts: accounts.slice(1) }))).toBeNull();
});

test("strings are no members, whatever is in them, and known members count nothing", () => {
  const text = JSON.stringify(Object.fromEntries(members(1000)));
  const accounts = Array.from({ length: 1000 }, () => ({ path: `${text}\\` }));
  expect(refusalOf(JSON.stringify({ accounts, x: [text, '":', '\\"'] }))).toBeNull();
  expect(refusalOf('{"a')).toBeNull();
});

test("what a name hides is not shown", () => {
  const names = Array.from({ length: MAX_UNKNOWN + 1 }, (_, i) => `\u202e${"x".repeat(500)}${i}`);
  const refusal = refusalOf(JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))));
  expect(refusal?.message).not.toContain("\u202e");
  expect(refusal?.message.length).toBeLessThan(700);
});

test("every field of a request in the contract is known", () => {
  const contract = new URL("../../../../contract/openapi.json", import.meta.url);
  const { paths, components } = JSON.parse(readFileSync(contract, "utf8"));
  const names = new Set<string>();
  const seen = new Set<string>();
  const collect = (schema: unknown) => {
    if (typeof schema !== "object" || schema === null) return;
    const { $ref, properties } = schema as { $ref?: string; properties?: object };
    for (const name of Object.keys(properties ?? {})) names.add(name);
    if ($ref !== undefined && !seen.has($ref)) {
      seen.add($ref);
      collect(components.schemas[$ref.split("/").at(-1) ?? ""]);
    }
    for (const part of Object.values(schema)) collect(part);
  };
  const ofPaths = Object.entries<Record<string, { requestBody?: unknown }>>(paths);
  // What clients stamp: the login proxy refuses by itself what it does not know.
  const stamped = ofPaths.filter(([path]) => path.startsWith("/public/v1/"));
  for (const [, path] of stamped) {
    for (const { requestBody } of Object.values(path)) collect(requestBody);
  }
  expect(names.size).toBeGreaterThan(150);
  const all = namesOfMembers();
  expect([...names].filter((name) => !all.has(name))).toEqual([]);
});
