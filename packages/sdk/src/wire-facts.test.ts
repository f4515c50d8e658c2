import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Fields = { required?: string[]; optional?: string[]; properties?: Record<string, unknown> };
type Definition = Fields & { enum?: string[]; newer?: Fields | string[] };
type Version = { intent: string; result?: string };
type Operation = {
  /** A path that the base of the contract does not have. */
  since?: "newer";
  request: string;
  response: string;
  type?: string;
  types?: Record<string, Version>;
};
type Facts = {
  scalars: Record<string, string>;
  operations: Record<string, Operation>;
  definitions: Record<string, Definition>;
};

const facts: Facts = JSON.parse(
  readFileSync(new URL("../../../contract/wire-facts.json", import.meta.url), "utf8"),
);

test("the facts of the wire cover 23 queries and 52 submissions, beside newer ones", () => {
  const paths = Object.entries(facts.operations)
    .filter(([, { since }]) => since !== "newer")
    .map(([path]) => path);
  expect(paths.filter((path) => path.startsWith("query/"))).toHaveLength(23);
  expect(paths.filter((path) => path.startsWith("submit/"))).toHaveLength(52);
});

test("every definition that the facts name exists, and none is left over", () => {
  const used = new Set<string>();
  const visit = (name: string) => {
    if (used.has(name)) return;
    const definition = facts.definitions[name];
    if (!definition) throw new Error(`\`${name}\` is not defined`);
    used.add(name);
    for (const type of typesIn(definition)) if (!(type in facts.scalars)) visit(type);
  };
  for (const { request, response, types } of Object.values(facts.operations)) {
    visit(response);
    if (!types) visit(request);
    for (const { intent, result } of Object.values(types ?? {})) {
      visit(intent);
      if (result) visit(result);
    }
  }
  expect(Object.keys(facts.definitions).filter((name) => !used.has(name))).toEqual([]);
});

test("every submission has its default type, and every required field exists", () => {
  for (const [path, { type, types }] of Object.entries(facts.operations)) {
    if (types) expect(Object.keys(types), path).toContain(type);
  }
  for (const [name, { required, properties, newer }] of Object.entries(facts.definitions)) {
    const later = newer && !Array.isArray(newer) ? newer : {};
    const known = Object.keys({ ...properties, ...later.properties });
    const listed = [...(required ?? []), ...(later.required ?? []), ...(later.optional ?? [])];
    expect(known, name).toEqual(expect.arrayContaining(listed));
  }
});

function typesIn({ properties, newer }: Definition): string[] {
  const later = newer && !Array.isArray(newer) ? newer.properties : {};
  return Object.values({ ...properties, ...later })
    .filter((type) => typeof type === "string")
    .map((type) => type.replace(/^\[(.*)\]$/, "$1"));
}
