import type { Expression } from "./ast.ts";
import { chains, isOfSomeRequests, signedRoots } from "./chains/index.ts";
import type { Absence } from "./values.ts";

// What is absent from some kinds of request. Only an absence lets a DENY be skipped, so everything
// that is not listed here has to be there, and a DENY that does not find it denies (decision 6).

/** Roots of a condition that only some kinds of request have. */
const ROOTS: ReadonlySet<string> = new Set([
  ...["wallet", "wallet_account", "private_key", "wallets", "secret"],
  ...chains.map(({ name }) => name),
  ...signedRoots.keys(),
]);

/**
 * Fields that a request has only if its activity has them. What its transaction, the called function
 * or the type of the message may lack is in the chain's descriptor. `['']` stands for a written-out key.
 * What an element of a list lacks is an error, because the client chooses the elements.
 */
const FIELDS = /^(activity\.params\.\w+|wallet_account\.path_(indexes|hardened))$/;

/** What it means if this name, field or key has no value; undefined if that is an error. */
export function absenceOf(node: Expression, scope: readonly string[]): Absence | undefined {
  const path = pathOf(node, scope);
  if (path === undefined) return undefined;
  if (ROOTS.has(path)) return "root";
  return FIELDS.test(path) || isOfSomeRequests(path, "['']") ? "field" : undefined;
}

function pathOf(node: Expression, scope: readonly string[]): string | undefined {
  if (node.kind === "name") return scope.includes(node.name) ? undefined : node.name;
  if (node.kind !== "field" && node.kind !== "index") return undefined;
  const object = pathOf(node.object, scope);
  if (object === undefined) return undefined;
  if (node.kind === "field") return `${object}.${node.name}`;
  return node.index.kind === "string" ? `${object}['']` : undefined;
}
