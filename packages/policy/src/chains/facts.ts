import type { Signed } from "./chain.ts";
import { signedRoots, splitPath } from "./index.ts";

// What lints and comparisons ask the descriptors. No decision needs it.

/** The roots of what a parameter says is signed, by the parameter's value. */
export function rootsSaidBy(param: Signed["saidBy"]["param"]): ReadonlyMap<string, string> {
  const said = [...signedRoots].filter(([, { saidBy }]) => saidBy.param === param);
  return new Map(said.map(([root, { saidBy }]) => [saidBy.value, root]));
}

/** The root of what activities of a kind always sign, by the kind. */
export const rootOfKind: ReadonlyMap<string, string> = new Map(
  [...signedRoots].flatMap(([root, { kinds = [] }]) => kinds.map((kind) => [kind, root] as const)),
);

type Reason = "absent" | "unset" | "unread";

/** Paths of fields, outside of lists, that may have no value although their root is there. */
export function missableFields(...reasons: readonly Reason[]): readonly string[] {
  return missable(reasons).filter((path) => !path.includes("[]"));
}

/** Paths of fields that elements of a list may lack. */
export function missableInElements(reason: Reason): readonly string[] {
  return missable([reason]).filter((path) => path.includes("[]"));
}

function missable(reasons: readonly Reason[]): readonly string[] {
  return [...signedRoots].flatMap(([root, each]) => {
    const fields = reasons.flatMap((reason) => each[reason] ?? []);
    return fields.map((field) => `${root}.${field}`);
  });
}

/** Paths of maps with keys that only some requests have. */
export const mapsOfSomeKeys: readonly string[] = [...signedRoots].flatMap(
  ([root, { keys = {} }]) => {
    return Object.keys(keys).map((field) => `${root}.${field}`);
  },
);

/** Whether a path below a root matches a pattern of the chain. */
export function isOfPattern(
  pattern: "mayBeNegative" | "batches" | "neverEmpty" | "idleIfEmpty",
  path: string,
): boolean {
  const { signed, below } = splitPath(path);
  return signed?.[pattern]?.test(below) === true;
}
