import { struct, type Type } from "../types.ts";
import { bitcoin } from "./bitcoin.ts";
import type { Chain, Signed } from "./chain.ts";
import { ethereum } from "./ethereum.ts";
import { solana } from "./solana.ts";
import { tempo } from "./tempo.ts";
import { tron } from "./tron.ts";

/** Every chain of the language, in the order in which tables show them. */
export const chains: readonly Chain[] = [ethereum, solana, tron, bitcoin, tempo];

/** What expressions start from, by its name. */
export const chainTypes: Readonly<Record<string, Type>> = Object.fromEntries(
  chains.map(({ name, signed }) => {
    const fields = Object.entries(signed).map(([field, { type }]) => [field, type]);
    return [name, struct(name, Object.fromEntries(fields))];
  }),
);

/** What a request signs, if policies can read it. A request has at most one of these roots. */
export const signedRoots: ReadonlyMap<string, Signed> = new Map(
  chains.flatMap(({ name, signed }) => {
    return Object.entries(signed).map(([field, each]) => [`${name}.${field}`, each]);
  }),
);

/** Names of the fields that a struct may lack, some with the struct: `Struct.field`. */
export const missableNames: readonly string[] = [...signedRoots.values()].flatMap((each) => {
  const { absent = [], unset = [], unread = [], unreadOf = {} } = each;
  const names = [...absent, ...unset, ...unread].map((path) => path.replace(/^.*\./, ""));
  return [...names, ...Object.entries(unreadOf).map((named) => named.join("."))];
});

/** What a path begins with, if that is what a chain signs, and the path below it. */
export function splitPath(path: string): { signed: Signed | undefined; below: string } {
  const [, root = "", below = ""] = /^(\w+\.\w+)\.(.*)$/s.exec(path) ?? [];
  return { signed: signedRoots.get(root), below };
}

/** Whether only some requests with the root have this field or key; `key` is how the path writes a key. */
export function isOfSomeRequests(path: string, key: "['']" | "[]"): boolean {
  const { signed, below } = splitPath(path);
  const { absent = [], unset = [], keys = {} } = signed ?? {};
  let field = below;
  while (field.endsWith(key)) field = field.slice(0, -key.length);
  if (field === below) return !field.includes("[]") && [...absent, ...unset].includes(field);
  const depth = Object.hasOwn(keys, field) ? keys[field] : undefined;
  return depth === "nested" || (depth === "flat" && below === field + key);
}
