import { childrenOf, type Expression, type Operator } from "../../ast.ts";
import { missableFields, missableInElements } from "../../chains/facts.ts";
import { signedRoots } from "../../chains/index.ts";
import type { Checked } from "../../check.ts";
import { listCounted, MIRRORED, type Quantifier } from "../../logic/tree.ts";
import { print } from "../../print.ts";
import { ROOTS } from "../../schema.ts";

// What a clause reads and compares, taken from its text. Lints look for this without a proof.

/** What lints look for in the text of a clause: what it reads, and what it compares. */
export type Inventory = {
  /** By their position. */
  readonly reads: readonly Read[];
  readonly comparisons: readonly Comparison[];
  /** All paths that are read, their beginnings included. */
  readonly paths: ReadonlySet<string>;
  /** Names that hide another name. */
  readonly hiding: readonly { readonly node: Expression; readonly name: string }[];
  /** Lists whose elements are counted without parentheses. */
  readonly countFields: readonly Expression[];
};

/**
 * A part that may have no value. Paths are those of the language with `[]` for every index and key,
 * so that one path stands for all elements of a list.
 */
export type Read = {
  /**
   * `root` is a part that only some requests have, down to parameters of an activity. The others
   * depend on what a value looks like.
   */
  readonly kind: "root" | "slice" | "index" | "key" | "unset";
  readonly path: string;
  readonly node: Expression;
  /** The list or text that a part is read from; for a key, the whole path. */
  readonly of: string;
  /** How many elements or characters an index or slice needs. */
  readonly length: bigint;
  /** It is read for each element of a list. */
  readonly isInside: boolean;
};

export type Comparison = {
  readonly path: string;
  readonly operator: Operator;
  /** What it is compared with: texts and numbers. */
  readonly values: readonly (Expression & { readonly kind: "string" | "int" })[];
  /** The comparison says that it is not one of the values. */
  readonly isNegative: boolean;
  /** The text is first changed to lower case, or cut. */
  readonly isLowered: boolean;
  readonly isPart: boolean;
  /** The environment marks it as compared without regard to case. */
  readonly isAnyCase: boolean;
  readonly isDynamic: boolean;
  readonly node: Expression;
};

type Bound = { readonly path: string; readonly values?: Comparison["values"] };

/** A clause that is being read, and the place in it. */
type Context = {
  readonly checked: Checked;
  readonly found: Found;
  readonly scope: ReadonlyMap<string, Bound>;
  readonly isNegated: boolean;
  readonly isInside: boolean;
};

/** The inventory under construction. */
type Found = {
  readonly reads: Read[];
  readonly comparisons: Comparison[];
  readonly paths: Set<string>;
  readonly hiding: { readonly node: Expression; readonly name: string }[];
  readonly countFields: Expression[];
};

export function inventoryOf(checked: Checked): Inventory {
  const found: Found = {
    ...{ reads: [], comparisons: [], hiding: [], countFields: [] },
    paths: new Set(),
  };
  const place = { scope: new Map(), isNegated: false, isInside: false };
  visit(checked.expression, { checked, found, ...place });
  found.reads.sort((a, b) => a.node.start - b.node.start || a.node.end - b.node.end);
  return found;
}

function visit(node: Expression, context: Context) {
  note(node, context);
  switch (node.kind) {
    case "not":
      visit(node.operand, { ...context, isNegated: !context.isNegated });
      return;
    case "quantifier":
      visitQuantifier(node, context);
      return;
    case "compare":
      noteComparison(node, context);
      break;
    case "method": {
      const [wanted] = node.arguments;
      if (node.name === "contains" && wanted) {
        compare({ node, operator: "in", left: wanted, right: node.object }, context);
      }
    }
  }
  for (const child of childrenOf(node)) visit(child, context);
}

function visitQuantifier(node: Quantifier, context: Context) {
  const { checked, found, scope } = context;
  const { object, predicate, variable } = node;
  visit(object, context);
  if (scope.has(variable) || Object.hasOwn(ROOTS[checked.clause], variable)) {
    found.hiding.push({ node, name: variable });
  }
  const bound = { path: `${pathOf(object, context) ?? "?"}[]`, values: valuesOf(object, context) };
  visit(predicate, { ...context, scope: new Map(scope).set(variable, bound), isInside: true });
}

/** Notes what is read, and its path. */
function note(node: Expression, context: Context) {
  const { checked, found } = context;
  const path = pathOf(node, context);
  if (path !== undefined) found.paths.add(path);
  switch (node.kind) {
    case "name": {
      const isRoot = checked.clause === "condition" && path === node.name;
      if (isRoot && ROOTS_ALONE.has(node.name)) add("root", node, context);
      return;
    }
    case "field":
      if (listCounted(node, checked.types)) found.countFields.push(node);
      else if (path && isOptionalRoot(path)) add("root", node, context);
      else if (path && isUnset(path)) add("unset", node, context);
      return;
    case "slice":
      add("slice", node, context, node.object, node.to.kind === "int" ? node.to.value : 0n);
      return;
    case "index": {
      const { kind } = checked.types.get(node.object) ?? {};
      const isMap = kind === "map" || (kind === "dynamic" && node.index.kind === "string");
      const length = node.index.kind === "int" ? node.index.value + 1n : 0n;
      if (isMap) add("key", node, context, node);
      else add("index", node, context, node.object, length);
    }
  }
}

function add(
  kind: Read["kind"],
  node: Expression,
  context: Context,
  of?: Expression,
  length: bigint = 0n,
) {
  const path = pathOf(node, context) ?? "?";
  const isInside = context.isInside && !isOfRequest(node, context);
  context.found.reads.push({ kind, path, node, of: of ? print(of) : "", length, isInside });
}

function noteComparison(node: Expression & { kind: "compare" }, context: Context) {
  const { operator, left, right } = node;
  compare({ node, operator, left, right }, context);
  if (operator !== "in") {
    compare({ node, operator: MIRRORED[operator], left: right, right: left }, context);
  }
}

/** The sides of a comparison, in the order in which they are looked at. */
type Sides = {
  readonly node: Expression;
  readonly operator: Operator;
  readonly left: Expression;
  readonly right: Expression;
};

function compare({ node, operator, left, right }: Sides, context: Context) {
  const { checked, found, isNegated } = context;
  const values = valuesOf(right, context);
  // `'t' in tags` and `tags.contains('t')` compare the elements of the list.
  const [side, others] = values ? [left, values] : [right, valuesOf(left, context)];
  const path = pathOf(side, context);
  if (path === undefined || !others || (!values && operator !== "in")) return;
  const type = checked.types.get(side);
  const compared = operator === "in" && !values && type?.kind === "list" ? type.element : type;
  found.comparisons.push({
    path: values ? path : `${path}[]`,
    operator,
    values: others,
    isNegative: isNegated !== (operator === "!="),
    isLowered: side.kind === "call",
    isPart: side.kind === "slice" || (side.kind === "index" && compared?.kind === "string"),
    isAnyCase: compared?.kind === "string" && compared.anyCase === true,
    isDynamic: compared?.kind === "dynamic",
    node,
  });
}

/** Roots that a request may or may not have. */
const ROOTS_ALONE = new Set(["wallet", "wallet_account", "private_key", "wallets", "secret"]);

function isOptionalRoot(path: string) {
  return SIGNED.has(path) || OF_SOME.test(path) || TYPED.has(path);
}

const SIGNED: ReadonlySet<string> = new Set(signedRoots.keys());

/** Parameters, and fields of accounts that are exported. */
const OF_SOME = /^(activity\.params\.|wallet_account\.path_)\w+$/;

/** Fields that only elements of some types have. */
const TYPED: ReadonlySet<string> = new Set(missableInElements("absent"));

function isUnset(path: string): boolean {
  return UNSET.has(path) || UNSET_IN_ELEMENTS.some((end) => path.endsWith(end));
}

const UNSET: ReadonlySet<string> = new Set(missableFields("unset"));

/** The ends of paths, because a list that the clause puts together has no path. */
const UNSET_IN_ELEMENTS = missableInElements("unset").map((path) => path.replace(/^.*\[\]/, ""));

/** The path as a pattern; undefined for a part that is not read from a request. */
function pathOf(node: Expression, context: Pick<Context, "scope">): string | undefined {
  switch (node.kind) {
    case "name":
      return context.scope.get(node.name)?.path ?? node.name;
    case "field":
    case "index":
    case "slice": {
      const object = pathOf(node.object, context);
      if (object === undefined || node.kind === "slice") return object;
      return node.kind === "index" ? `${object}[]` : `${object}.${node.name}`;
    }
    case "call": {
      const [text] = node.arguments;
      return node.name === "CaseInsensitiveString" && text ? pathOf(text, context) : undefined;
    }
    case "quantifier":
      return node.name === "filter" ? pathOf(node.object, context) : undefined;
    default:
      return undefined;
  }
}

function valuesOf(
  node: Expression,
  { scope }: Pick<Context, "scope">,
): Comparison["values"] | undefined {
  if (node.kind === "string" || node.kind === "int") return [node];
  if (node.kind === "name") return scope.get(node.name)?.values;
  if (node.kind !== "list" || node.items.length === 0) return undefined;
  const values = node.items.flatMap((item) => {
    return item.kind === "string" || item.kind === "int" ? item : [];
  });
  return values.length === node.items.length ? values : undefined;
}

/** Whether it reads the same part of the request for every element. */
function isOfRequest(node: Expression, context: Context): boolean {
  if (node.kind === "name") return !context.scope.has(node.name);
  return childrenOf(node).every((child) => isOfRequest(child, context));
}
