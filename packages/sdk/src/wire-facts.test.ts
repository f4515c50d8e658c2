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
type Kind = {
  resource?: string;
  action?: string;
  types: string[];
  newer?: string[];
  since?: "newer" | "later";
  policies?: false;
};
type Facts = {
  activities: Record<string, Kind>;
  scalars: Record<string, string>;
  operations: Record<string, Operation>;
  /** Intents and results that answers may have, although the wire has no request for them. */
  answersOnly: Record<string, string>;
  definitions: Record<string, Definition>;
};

const facts: Facts = JSON.parse(
  readFileSync(new URL("../../../contract/wire-facts.json", import.meta.url), "utf8"),
);

test("the facts of the wire cover 23 queries and 52 submissions, in addition to newer ones", () => {
  const paths = Object.entries(facts.operations)
    .filter(([, { since }]) => since !== "newer")
    .map(([path]) => path);
  expect(paths.filter((path) => path.startsWith("query/"))).toHaveLength(23);
  expect(paths.filter((path) => path.startsWith("submit/"))).toHaveLength(52);
});

test("every definition that the facts name exists, and none is unused", () => {
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
  for (const name of Object.values(facts.answersOnly)) visit(name);
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

const kinds = Object.entries(facts.activities);

test.each(kinds)(
  "types of %s are its versions in order, and policies know what it does",
  (kind, of) => {
    const { types, newer = [], resource, action, policies = true } = of;
    const first = `ACTIVITY_TYPE_${kind}`;
    const versions = [...types, ...newer].map((_, at) =>
      at === 0 ? first : `${first}_V${at + 1}`,
    );
    expect([...types, ...newer]).toEqual(versions);
    expect(types).not.toHaveLength(0);
    if (!policies) return;
    expect(resource).toMatch(/^[A-Z_]+$/);
    expect(action).toMatch(/^[A-Z_]+$/);
  },
);

test("the types of every submission are in the catalogue, under one kind that is on the wire", () => {
  for (const [path, { types }] of Object.entries(facts.operations)) {
    if (!types) continue;
    const [kind] = kinds.filter(([, { types: base, newer = [] }]) => {
      return Object.keys(types).every((type) => [...base, ...newer].includes(type));
    });
    expect(kind, `${path} is of no kind`).toBeDefined();
    expect(kind?.[1].since, path).not.toBe("later");
  }
});

function typesIn({ properties, newer }: Definition): string[] {
  const later = newer && !Array.isArray(newer) ? newer.properties : {};
  return Object.values({ ...properties, ...later })
    .filter((type) => typeof type === "string")
    .map((type) => type.replace(/^\[(.*)\]$/, "$1"));
}
