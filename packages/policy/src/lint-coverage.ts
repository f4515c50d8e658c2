import { childrenOf, type Expression } from "./ast.ts";
import type { Checked } from "./check.ts";
import { type Budget, canHold, type Formula, type World } from "./lint-logic.ts";
import { isAlwaysTrue, type Linted, type LintedClause } from "./lint-subject.ts";
import { print } from "./print.ts";

/** What is read without an error of the requests that are asked about. */
export type Known = ReadonlySet<string>;

/**
 * Whether a DENY applies to every request for which all formulas hold: its condition is then true
 * and, since a DENY that errs denies nothing, has a value. `known` is what such requests have.
 */
export function isDenied(
  deny: Linted,
  formulas: readonly Formula[],
  known: Known,
  budget: Budget,
  world: World,
): boolean {
  const { condition, consensus, time } = deny;
  if (time || !isAlwaysTrue(consensus, budget, world)) return false;
  if (consensus && !hasValue(consensus.checked, NOTHING)) return false;
  if (!condition) return true;
  const { checked, translation } = condition;
  if (!hasValue(checked, known)) return false;
  return !canHold([...formulas, translation.formula(checked.expression, false)], budget, world);
}

export const NOTHING: Known = new Set();

/** All that a clause reads whatever it says, and so has a value wherever the clause has one. */
export function knownBy(clause: LintedClause | undefined): Known {
  const known = new Set<string>();
  if (clause) collect(clause.checked.expression, clause.checked);
  return known;

  function collect(node: Expression, checked: Checked) {
    if (node.kind !== "and" && node.kind !== "or" && node.kind !== "not") known.add(print(node));
    for (const fact of comparedAs(node, checked)) known.add(fact);
    for (const child of childrenOf(node)) {
      // Predicates are read for elements only, of which there may be none.
      if (node.kind !== "quantifier" || child === node.object) collect(child, checked);
    }
  }
}

/** Whether an expression has a value in every request that has what is known. */
function hasValue({ expression, types }: Checked, known: Known): boolean {
  return has(expression);

  function has(node: Expression): boolean {
    switch (node.kind) {
      case "bool":
      case "int":
      case "string":
        return true;
      case "name":
      case "field":
      case "index":
      case "slice":
      case "quantifier": {
        const text = print(node);
        const isCount = node.kind === "field" && node.name === "count" && isList(node.object);
        return ALWAYS.has(text) || known.has(text) || (isCount && has(node.object));
      }
      case "compare": {
        const facts = comparedAs(node, { types });
        if (facts.length > 0) return facts.some((fact) => known.has(fact));
        return areTyped(node) ? childrenOf(node).every(has) : known.has(print(node));
      }
      default:
        return areTyped(node) ? childrenOf(node).every(has) : known.has(print(node));
    }
  }

  function isList(node: Expression) {
    return types.get(node)?.kind === "list";
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
function comparedAs(node: Expression, { types }: Pick<Checked, "types">): readonly string[] {
  if (node.kind !== "compare") return [];
  const sides = [node.left, node.right];
  const side = sides.find((each) => types.get(each)?.kind === "dynamic");
  const other = sides.find((each) => each !== side);
  if (!side || !other) return [];
  const of = other.kind === "list" ? other.items : [other];
  const kinds = new Set(of.map(({ kind }) => kind));
  const [kind] = kinds;
  if (kinds.size !== 1 || (kind !== "string" && kind !== "int" && kind !== "bool")) return [];
  return node.operator === "in" && side === node.right ? [] : [`${kind}: ${print(side)}`];
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
