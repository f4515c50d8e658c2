import { describe, expect, test } from "vitest";
import type { Type } from "../types.ts";
import { chains } from "./index.ts";

const roots = chains.flatMap(({ name, signed }) => {
  return Object.entries(signed).map(([field, each]) => ({ root: `${name}.${field}`, ...each }));
});

describe.each(roots)("the descriptor of $root", ({ type, ...descriptor }) => {
  const types = new Map<string, Type>();
  const visit = (path: string, each: Type) => {
    types.set(path, each);
    if (each.kind === "list") visit(`${path}[]`, each.element);
    if (each.kind !== "struct") return;
    for (const [name, field] of Object.entries(each.fields)) visit(`${path}.${name}`, field);
  };
  visit("", type);
  const pathsOf = (kind?: Type["kind"]) => {
    const found = [...types].filter(([, each]) => kind === undefined || each.kind === kind);
    return found.map(([path]) => path.slice(1));
  };

  test("names fields that exist", () => {
    const { absent = [], unset = [], unread = [], keys = {} } = descriptor;
    expect(pathsOf()).toEqual(expect.arrayContaining([...absent, ...unset, ...unread]));
    expect(pathsOf("map")).toEqual(expect.arrayContaining(Object.keys(keys)));
  });

  test("names structs that have the field", () => {
    const structs = [...types.values()].flatMap((each) => (each.kind === "struct" ? each : []));
    for (const [name, field] of Object.entries(descriptor.unreadOf ?? {})) {
      expect(structs.find((each) => each.name === name)?.fields).toHaveProperty(field);
    }
  });

  test("has patterns only for lists and numbers that exist", () => {
    const { batches, neverEmpty, idleIfEmpty, mayBeNegative } = descriptor;
    // The values of a message have no declared type.
    const isOfMessage = batches?.test("message[]");
    for (const pattern of [isOfMessage ? undefined : batches, neverEmpty, idleIfEmpty]) {
      if (pattern) expect(pathsOf("list").filter((path) => pattern.test(path))).not.toEqual([]);
    }
    if (!mayBeNegative) return;
    expect(pathsOf("int").filter((path) => mayBeNegative.test(path))).not.toEqual([]);
  });
});
