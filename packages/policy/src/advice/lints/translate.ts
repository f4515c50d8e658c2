import { childrenOf, type Expression } from "../../ast.ts";
import type { Checked } from "../../check.ts";
import { evaluateValue, prepare } from "../../evaluate.ts";
import { isFailure, lowerCase, noEntries } from "../../values.ts";
import {
  type Constant,
  constant,
  type Formula,
  formulaKey,
  junction,
  NO_SCOPE,
  type Scope,
  type Subject,
  type Test,
  writeConstant,
} from "./formula.ts";
import { type Budget, canHold } from "./solve.ts";

/** Work of finding out whether a predicate can hold. */
const MAX_INNER = 100;

/** Parts of a formula made from one expression; what is beyond them is not looked into. */
const MAX_PARTS = 3000;

export type FormulaOptions = {
  /** Tells this clause from others whose formulas may stand beside its own. */
  readonly name: string;
  readonly budget: Budget;
  /** As if `approvers` and `credentials` held one element each. */
  readonly isOfOneVote?: boolean;
};

/** Makes formulas of an expression and of its parts. */
export type Translation = {
  readonly checked: Checked;
  /** The formula that holds when the expression is (or is not) true. */
  formula(node: Expression, isTrue: boolean, scope?: Scope): Formula;
  key(node: Expression, scope: Scope): string;
  /** The scope of a quantifier's predicate. */
  inner(node: Expression & { kind: "quantifier" }, scope: Scope): Scope;
};

export function translation(checked: Checked, options: FormulaOptions): Translation {
  const { types } = checked;
  let parts = 0;
  let unknowns = 0;
  return {
    checked,
    key,
    inner,
    formula(node, isTrue, scope) {
      parts = 0;
      return formula(node, isTrue, scope);
    },
  };

  function formula(node: Expression, isTrue: boolean, scope: Scope = NO_SCOPE): Formula {
    if (++parts > MAX_PARTS || --options.budget.steps < 0) return unknown(node, isTrue, scope);
    switch (node.kind) {
      case "bool":
        return constant(node.value === isTrue);
      case "not":
        return formula(node.operand, !isTrue, scope);
      case "and":
      case "or": {
        const kind = (node.kind === "and") === isTrue ? "and" : "or";
        return junction(
          kind,
          node.operands.map((operand) => formula(operand, isTrue, scope)),
        );
      }
      case "compare":
        return comparison(node, isTrue, scope);
      case "method":
        if (node.name === "contains" && node.arguments[0]) {
          return membership(node, node.arguments[0], node.object, isTrue, scope);
        }
        return truth(node, isTrue, scope);
      case "quantifier":
        return quantifier(node, isTrue, scope);
      default:
        return truth(node, isTrue, scope);
    }
  }

  function comparison(
    node: Expression & { kind: "compare" },
    isTrue: boolean,
    scope: Scope,
  ): Formula {
    const { operator, left, right } = node;
    if (operator === "in") return membership(node, left, right, isTrue, scope);
    if (operator === "==") return equality(node, left, right, isTrue, isTrue, scope);
    if (operator === "!=") return equality(node, left, right, !isTrue, isTrue, scope);
    return order(node, isTrue, scope);
  }

  /** That both are equal, or unequal. */
  function equality(
    node: Expression,
    left: Expression,
    right: Expression,
    areEqual: boolean,
    isTrue: boolean,
    scope: Scope,
  ): Formula {
    const [a, b] = [constantOf(left, scope), constantOf(right, scope)];
    if (a !== undefined && b !== undefined) {
      return typeof a === typeof b
        ? constant((a === b) === areEqual)
        : unknown(node, isTrue, scope);
    }
    const isNegative = !areEqual;
    if (a !== undefined || b !== undefined) {
      const value = (a ?? b) as Constant;
      const other = a === undefined ? left : right;
      if (typeof value === "boolean" && types.get(other)?.kind === "bool") {
        const same = formula(other, value === areEqual, scope);
        // `x == false` says what x is, as `x == 'a'` does.
        return same.kind === "literal" ? { ...same, isNegative } : same;
      }
      return among(node, other, [value], areEqual, isNegative, scope);
    }
    if (types.get(left)?.kind === "bool" && types.get(right)?.kind === "bool") {
      const [x, y] = [formula(left, true, scope), formula(right, areEqual, scope)];
      const [notX, notY] = [formula(left, false, scope), formula(right, !areEqual, scope)];
      return junction("or", [junction("and", [x, y]), junction("and", [notX, notY])]);
    }
    const [k, l] = [key(left, scope), key(right, scope)];
    if (k === l) return constant(areEqual);
    const pair = k < l ? `(${k} == ${l})` : `(${l} == ${k})`;
    return literal(
      node,
      plain(pair),
      { kind: "among", values: TRUE, is: areEqual },
      isNegative,
      scope,
    );
  }

  function order(node: Expression & { kind: "compare" }, isTrue: boolean, scope: Scope): Formula {
    // Everything is turned into `<` or its opposite.
    const { operator } = node;
    const isSwapped = operator === ">" || operator === "<=";
    const isLess = (operator === "<" || operator === ">") === isTrue;
    const [left, right] = isSwapped ? [node.right, node.left] : [node.left, node.right];
    const [a, b] = [constantOf(left, scope), constantOf(right, scope)];
    if (typeof a === "bigint" && typeof b === "bigint") return constant(a < b === isLess);
    if (typeof b === "bigint") return counted(left, isLess ? { high: b - 1n } : { low: b });
    if (typeof a === "bigint") return counted(right, isLess ? { low: a + 1n } : { high: a });
    const [k, l] = [key(left, scope), key(right, scope)];
    if (k === l) return constant(!isLess);
    const test = { kind: "among", values: TRUE, is: isLess } as const;
    return literal(node, plain(`(${k} < ${l})`), test, !isTrue, scope);

    function counted(side: Expression, range: { low?: bigint; high?: bigint }): Formula {
      const one = countInOneVote(side, scope);
      if (one) {
        const holds = (n: bigint) =>
          (range.low === undefined || n >= range.low) &&
          (range.high === undefined || n <= range.high);
        return ofOneVote(one, holds(1n), holds(0n));
      }
      return literal(node, subjectOf(side, scope), { kind: "range", ...range }, !isTrue, scope);
    }
  }

  function among(
    node: Expression,
    side: Expression,
    values: readonly Constant[],
    is: boolean,
    isNegative: boolean,
    scope: Scope,
  ): Formula {
    const one = countInOneVote(side, scope);
    if (one) return ofOneVote(one, values.includes(1n) === is, values.includes(0n) === is);
    const subject = subjectOf(side, scope);
    const possible = values.flatMap((value) => fitted(subject, value) ?? []);
    // None of the values can be its value.
    if (possible.length === 0) return constant(!is);
    const test: Test = { kind: "among", values: new Set(possible), is };
    return literal(node, subject, test, isNegative, scope);
  }

  /** That an element is, or is not, in a list. */
  function membership(
    node: Expression,
    element: Expression,
    list: Expression,
    isTrue: boolean,
    scope: Scope,
  ): Formula {
    if (list.kind === "list") {
      const values = list.items.map((item) => constantOf(item, scope));
      const isBool = types.get(element)?.kind === "bool";
      if (values.every(isDefined) && !isBool && constantOf(element, scope) === undefined) {
        return among(node, element, values, isTrue, !isTrue, scope);
      }
      const parts = list.items.map((item) => equality(node, element, item, isTrue, isTrue, scope));
      return junction(isTrue ? "or" : "and", parts);
    }
    const subject = plain(`(${key(element, scope)} in ${key(list, scope)})`);
    return literal(node, subject, { kind: "among", values: TRUE, is: isTrue }, !isTrue, scope);
  }

  function quantifier(
    node: Expression & { kind: "quantifier" },
    isTrue: boolean,
    scope: Scope,
  ): Formula {
    const { name, object, predicate } = node;
    if (name === "filter") return truth(node, isTrue, scope);
    const isAny = name === "any";
    if (options.isOfOneVote && isOfVotes(object, scope)) {
      const [there, missing] = filterInOneVote(object, scope);
      const holds = formula(predicate, isTrue, inner(node, scope));
      // `any` of nothing is false, `all` of nothing is true.
      const parts = [junction("and", [there, holds]), isAny === isTrue ? constant(false) : missing];
      return junction("or", parts);
    }
    const items = object.kind === "list" ? object.items.map((item) => constantOf(item, scope)) : [];
    if (object.kind === "list" && items.length <= 32 && items.every(isDefined)) {
      const parts = items.map((value) => {
        const bound = { key: writeConstant(value), isTyped: false, value };
        return formula(predicate, isTrue, new Map(scope).set(node.variable, bound));
      });
      return junction(isAny === isTrue ? "or" : "and", parts);
    }
    // `any` counts the elements it is true of, `all` those it is false of.
    const subject = filtered(object, formula(predicate, isAny, inner(node, scope)), scope);
    if (subject === "none") return constant(isAny !== isTrue);
    const isSome = isAny === isTrue;
    const test = { kind: "range", ...(isSome ? { low: 1n } : { high: 0n }) } as const;
    return literal(node, subject, test, !isTrue, scope);
  }

  /** The number of elements that a formula holds for. */
  function filtered(object: Expression, holds: Formula, scope: Scope): Subject | "none" {
    const whole = countOf(object, scope);
    if (whole === "none" || !canHold([holds], { steps: MAX_INNER })) return "none";
    if (holds.kind === "constant") return whole;
    const name = `${whole.key.replace(/\.count\(\)$/, "")}{${formulaKey(holds)}}.count()`;
    return { ...plain(name), count: { whole } };
  }

  function countOf(list: Expression, scope: Scope): Subject | "none" {
    if (list.kind === "quantifier" && list.name === "filter") {
      const holds = formula(list.predicate, true, inner(list, scope));
      return filtered(list.object, holds, scope);
    }
    return { ...plain(`${key(list, scope)}.count()`), count: {} };
  }

  function truth(node: Expression, isTrue: boolean, scope: Scope): Formula {
    const value = constantOf(node, scope);
    if (typeof value === "boolean") return constant(value === isTrue);
    const test = { kind: "among", values: TRUE, is: isTrue } as const;
    return literal(node, plain(key(node, scope)), test, !isTrue, scope);
  }

  function subjectOf(node: Expression, scope: Scope): Subject {
    const list = listCounted(node);
    if (list) {
      const subject = countOf(list, scope);
      return subject === "none" ? { ...plain("none.count()"), count: {} } : subject;
    }
    const subject = { key: key(node, scope), text: textOf(node, scope) } as const;
    const [from, to] = boundsOf(node, scope);
    if (from === undefined || to === undefined || from > to) return subject;
    if (node.kind !== "slice" && node.kind !== "index") return subject;
    const part = { of: key(node.object, scope), from, to };
    return { ...subject, length: to - from, part };
  }

  /** The characters that a part of a text is made of. */
  function boundsOf(node: Expression, scope: Scope): [bigint?, bigint?] {
    if (node.kind === "slice") {
      const bounds = [constantOf(node.from, scope), constantOf(node.to, scope)];
      const [from, to] = bounds.map((bound) => (typeof bound === "bigint" ? bound : undefined));
      return [from, to];
    }
    if (node.kind !== "index" || types.get(node.object)?.kind !== "string") return [];
    const index = constantOf(node.index, scope);
    return typeof index === "bigint" ? [index, index + 1n] : [];
  }

  function listCounted(node: Expression): Expression | undefined {
    if ((node.kind !== "method" && node.kind !== "field") || node.name !== "count")
      return undefined;
    return types.get(node.object)?.kind === "list" ? node.object : undefined;
  }

  function textOf(node: Expression, scope: Scope): Subject["text"] {
    if (node.kind === "call" && node.name === "CaseInsensitiveString") return "lower";
    const type = types.get(node);
    if (type?.kind !== "string" || !isTyped(node, scope)) return "unsure";
    return type.anyCase ? "folded" : "exact";
  }

  /** Whether the declared type tells how the value compares: what was put together does not. */
  function isTyped(node: Expression, scope: Scope): boolean {
    switch (node.kind) {
      case "name":
        return scope.get(node.name)?.isTyped ?? true;
      case "field":
      case "index":
      case "slice":
        return isTyped(node.object, scope);
      case "quantifier":
        return node.name === "filter" && isTyped(node.object, scope);
      default:
        return false;
    }
  }

  function inner(node: Expression & { kind: "quantifier" }, scope: Scope): Scope {
    const isOne = options.isOfOneVote && isOfVotes(node.object, scope);
    const taken = new Set([...scope.values()].map(({ key }) => key));
    let position = scope.size;
    while (taken.has(`$${position}`)) position++;
    const name = isOne ? `${rootOf(node.object)}[0]` : `$${position}`;
    const bound = { key: name, isTyped: isTyped(node.object, scope) };
    return new Map(scope).set(node.variable, bound);
  }

  /** The list, if it is one of votes that a single vote makes up. */
  function countInOneVote(node: Expression, scope: Scope): readonly [Formula, Formula] | undefined {
    const list = options.isOfOneVote ? listCounted(node) : undefined;
    return list && isOfVotes(list, scope) ? filterInOneVote(list, scope) : undefined;
  }

  /** When the one vote is in the list, and when it is not. */
  function filterInOneVote(list: Expression, scope: Scope): readonly [Formula, Formula] {
    if (list.kind !== "quantifier") return [constant(true), constant(false)];
    const [there, missing] = filterInOneVote(list.object, scope);
    const bound = inner(list, scope);
    return [
      junction("and", [there, formula(list.predicate, true, bound)]),
      junction("or", [missing, formula(list.predicate, false, bound)]),
    ];
  }

  function ofOneVote([there, missing]: readonly [Formula, Formula], one: boolean, none: boolean) {
    return junction("or", [one ? there : constant(false), none ? missing : constant(false)]);
  }

  /** The value of an expression that reads nothing of the request. */
  function constantOf(node: Expression, scope: Scope): Constant | undefined {
    switch (node.kind) {
      case "bool":
      case "int":
      case "string":
        return node.value;
      case "name":
        return scope.get(node.name)?.value;
      case "list":
      case "struct":
        return undefined;
      default: {
        if (!isClosed(node)) return undefined;
        const value = evaluateValue(prepare({ ...checked, expression: node }), NO_ENVIRONMENT);
        if (typeof value !== "object") return value;
        return !isFailure(value) && value.kind === "instant" ? value.nanoseconds : undefined;
      }
    }
  }

  function key(node: Expression, scope: Scope): string {
    const inside = (child: Expression) => key(child, scope);
    switch (node.kind) {
      case "bool":
      case "int":
      case "string":
        return writeConstant(node.value);
      case "name":
        return scope.get(node.name)?.key ?? node.name;
      case "field":
        return listCounted(node)
          ? `${inside(node.object)}.count()`
          : `${inside(node.object)}.${node.name}`;
      case "index":
        return `${inside(node.object)}[${inside(node.index)}]`;
      case "slice":
        return `${inside(node.object)}[${inside(node.from)}..${inside(node.to)}]`;
      case "call":
        return `${node.name}(${node.arguments.map(inside).join(", ")})`;
      case "method":
        return `${inside(node.object)}.${node.name}(${node.arguments.map(inside).join(", ")})`;
      case "list":
        return `[${node.items.map(inside).join(", ")}]`;
      case "struct":
        return `{ ${node.members.map(({ name, value }) => `${name}: ${inside(value)}`).join(", ")} }`;
      case "not":
        return `!${inside(node.operand)}`;
      case "and":
      case "or":
        return `(${node.operands.map(inside).join(node.kind === "and" ? " && " : " || ")})`;
      case "compare":
        return `(${inside(node.left)} ${node.operator} ${inside(node.right)})`;
      case "quantifier":
        return `${inside(node.object)}.${node.name}(${key(node.predicate, inner(node, scope))})`;
    }
  }

  /** A part that is not looked into: each time it is met it counts as another one. */
  function unknown(node: Expression, isTrue: boolean, scope: Scope): Formula {
    const subject = plain(`?${options.name} ${++unknowns}`);
    return literal(node, subject, { kind: "among", values: TRUE, is: isTrue }, !isTrue, scope);
  }
}

function literal(
  node: Expression,
  subject: Subject,
  test: Test,
  isNegative: boolean,
  scope: Scope,
): Formula {
  if (test.kind === "range" && subject.count) {
    // No list has fewer elements than none.
    if (test.low !== undefined && test.low <= 0n) return constant(true);
    if (test.high !== undefined && test.high < 0n) return constant(false);
  }
  return { kind: "literal", subject, test, node, scope, isNegative };
}

/** The constant as it is compared with the subject; nothing if it can never be equal. */
function fitted({ text, length, count }: Subject, value: Constant): Constant | undefined {
  if (typeof value !== "string") {
    return count && typeof value === "bigint" && value < 0n ? undefined : value;
  }
  if (length !== undefined && BigInt([...value].length) !== length) return undefined;
  if (text === "lower") return lowerCase(value) === value ? value : undefined;
  return text === "folded" ? lowerCase(value) : value;
}

function plain(key: string): Subject {
  return { key, text: "exact" };
}

const TRUE: ReadonlySet<Constant> = new Set([true]);

const NO_ENVIRONMENT = { kind: "struct", entries: noEntries() } as const;

/** Whether it reads nothing, and is done in as many steps as it has parts. */
function isClosed(node: Expression): boolean {
  if (node.kind === "name" || node.kind === "quantifier") return false;
  if (node.kind === "call" && node.name === "CronSpan") return false;
  return childrenOf(node).every(isClosed);
}

function isOfVotes(list: Expression, scope: Scope): boolean {
  if (list.kind === "quantifier" && list.name === "filter") return isOfVotes(list.object, scope);
  return list.kind === "name" && !scope.has(list.name) && VOTES.has(list.name);
}

const VOTES = new Set(["approvers", "credentials"]);

function rootOf(list: Expression): string {
  if (list.kind === "quantifier") return rootOf(list.object);
  return list.kind === "name" ? list.name : "";
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}
