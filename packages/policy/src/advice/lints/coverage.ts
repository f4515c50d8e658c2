import { childrenOf, type Expression } from "../../ast.ts";
import { not } from "../../logic/formula.ts";
import { keyOf } from "../../logic/keys.ts";
import type { Statement } from "../../logic/terms.ts";
import { listCounted } from "../../logic/tree.ts";
import { isAlwaysTrue, isPossible, type Linted, type LintedClause, type Logic } from "./subject.ts";

/** What is read without an error of the requests that are asked about. */
export type Known = ReadonlySet<string>;

export const NOTHING: Known = new Set();

/** A DENY that holds whoever approves and whenever, so that its condition decides alone. */
export type Denial = {
  readonly policyId: string;
  /** Holds whenever the condition is false; absent where it is always true. */
  readonly isNot?: Statement;
  /** What a request must have for the condition to have a value. */
  readonly needs: readonly string[];
};

export function denialOf({ policy, condition, consensus, time }: Linted): Denial[] {
  if (policy.effect !== "EFFECT_DENY" || time || !isAlwaysTrue(consensus)) return [];
  if (consensus && needsOf(consensus).length > 0) return [];
  const isNot = condition && not(condition.holds);
  return [{ policyId: policy.policyId, isNot, needs: condition ? needsOf(condition) : [] }];
}

/**
 * Whether a DENY applies to every request for which all statements hold: its condition is then true
 * and, since a DENY that errs denies nothing, has a value.
 */
export function isDenied(
  { isNot, needs }: Denial,
  statements: readonly Statement[],
  known: Known,
  logic: Logic,
): boolean {
  if (!needs.every((need) => known.has(need))) return false;
  return isNot === undefined || !isPossible([...statements, isNot], logic);
}

/** All that a clause reads whatever it says, and that so has a value wherever the clause has one. */
export function knownBy(clause: LintedClause | undefined): Known {
  const known = new Set<string>();
  if (!clause) return known;
  const { checked } = clause;
  collect(checked.expression);
  return known;

  function collect(node: Expression) {
    if (isLiteral(node)) return;
    if (node.kind !== "and" && node.kind !== "or" && node.kind !== "not") {
      known.add(keyOf(node));
    }
    const fact = comparedAs(node, checked);
    if (fact !== undefined) known.add(fact);
    for (const child of childrenOf(node)) {
      // Predicates are read for elements only, of which there may be none.
      if (node.kind !== "quantifier" || child === node.object) collect(child);
    }
  }
}

/** What must have a value, or a type, for the expression to have one. */
function needsOf({ checked }: LintedClause): readonly string[] {
  const { expression, types } = checked;
  const needs = new Set<string>();
  visit(expression);
  return [...needs];

  function visit(node: Expression) {
    if (isLiteral(node)) return;
    switch (node.kind) {
      case "field":
        if (listCounted(node, types)) {
          visit(node.object);
          return;
        }
        break;
      case "name":
      case "index":
      case "slice":
      case "quantifier":
        break;
      default: {
        const fact = comparedAs(node, checked);
        if (fact !== undefined) needs.add(fact);
        else if (areTyped(node)) for (const child of childrenOf(node)) visit(child);
        else needs.add(keyOf(node));
        return;
      }
    }
    const text = keyOf(node);
    if (!ALWAYS.has(text)) needs.add(text);
  }

  /** Only values whose type is known at run time alone can be of the wrong one. */
  function areTyped(node: Expression) {
    return childrenOf(node).every((child) => {
      const type = types.get(child);
      return (
        type?.kind !== "dynamic" && !(type?.kind === "list" && type.element.kind === "dynamic")
      );
    });
  }
}

/** The type that a value must have had to be compared, where only the request tells its type. */
function comparedAs(node: Expression, { types }: LintedClause["checked"]): string | undefined {
  if (node.kind !== "compare") return undefined;
  const sides = [node.left, node.right];
  const side = sides.find((each) => types.get(each)?.kind === "dynamic");
  const other = sides.find((each) => each !== side);
  if (!side || !other || (node.operator === "in" && side === node.right)) return undefined;
  const kinds = new Set((other.kind === "list" ? other.items : [other]).map(({ kind }) => kind));
  const [kind] = kinds;
  const isKnown = kinds.size === 1 && (kind === "string" || kind === "int" || kind === "bool");
  return isKnown ? `${kind}: ${keyOf(side)}` : undefined;
}

function isLiteral({ kind }: Expression) {
  return kind === "bool" || kind === "int" || kind === "string";
}

/** What every request has that policies are asked about. */
const ALWAYS = new Set([
  "activity.type",
  "activity.kind",
  "activity.resource",
  "activity.action",
  "approvers",
  "credentials",
]);
