import { absenceOf } from "./absence.ts";
import { type Clause, childrenOf, type Expression, type Operator, type Span } from "./ast.ts";
import { type Checked, check } from "./check.ts";
import { type Environment, type Path, rootNamed, type Step, valueAt } from "./environment.ts";
import { CRON_SPAN_STEPS, MAX_STEPS } from "./limits.ts";
import { parse } from "./parse.ts";
import { isInside, parseCronSpan, parseTimestamp } from "./time.ts";
import { oneCopy } from "./tokens.ts";
import {
  digitsOf,
  type Failure,
  type Folded,
  type Instant,
  isAscii,
  isFailure,
  type List,
  lowerCase,
  show,
  type Value,
} from "./values.ts";

/** A checked expression that can be evaluated any number of times. */
export type Compiled = Checked & {
  readonly run: Run;
  /** Steps that every evaluation takes, whatever the lists hold. */
  readonly steps: number;
  /** More than one policy has this clause, so a decision keeps its value. */
  readonly isShared?: true;
};

/** What evaluations in one environment need. They run one after the other. */
export type Frame = {
  readonly environment: Environment;
  /** Elements bound by the enclosing quantifiers, outermost first. */
  readonly bound: Value[];
  /** A side of `&&` or `||` that errs is ignored if the other sides decide. */
  readonly isDenial: boolean;
  /** Steps that the current evaluation has taken so far. */
  steps: number;
};

export type Run = (frame: Frame) => Value | Failure;

/** Called for each part of the expression. A trace uses it to record the parts. */
export type Wrap = (expression: Expression, run: Run) => Run;

/** Reads and checks an expression. Throws a PolicyError that points to what is wrong. */
export function compile(clause: Clause, source: string): Compiled {
  return prepare(check(clause, source, parse(source)));
}

const alone: Wrap = (_, run) => run;

/** Makes a checked expression ready for evaluation. */
export function prepare(checked: Checked, wrap: Wrap = alone): Compiled {
  const { clause, source, expression, types } = checked;
  const run = build(expression, [], wrap);
  return { clause, source, expression, types, run, steps: countNodes(expression) };
}

/** Counts the steps of several evaluations. */
export type Work = { steps: number };

/**
 * The value of the expression, or why it has none. Ends within MAX_STEPS, and throws only what a root
 * throws that is made when it is read.
 */
export function evaluate(
  compiled: Compiled,
  environment: Environment,
  work?: Work,
): boolean | Failure {
  return booleanOf(compiled, evaluateValue(compiled, environment, work));
}

/**
 * Like `evaluate`, but for a DENY, whose errors deny. So it matters whether the value depends on
 * them: `false && x` is false and `true || x` is true even if `x` errs. Only an absent root makes
 * the whole expression err in any case, since the DENY is then about other requests. Of several
 * failures, the result is the one that weighs most.
 */
export function evaluateDenial(
  compiled: Compiled,
  environment: Environment,
  work?: Work,
): boolean | Failure {
  return booleanOf(compiled, evaluateDenialValue(compiled, environment, work));
}

/** Like `evaluateDenial`, but for a part of an expression, of any type. */
export function evaluateDenialValue(
  compiled: Compiled,
  environment: Environment,
  work?: Work,
): Value | Failure {
  return runIn(newFrame(environment, true), compiled, work);
}

/** Like `evaluate`, but for a part of an expression, of any type. */
export function evaluateValue(
  compiled: Compiled,
  environment: Environment,
  work?: Work,
): Value | Failure {
  return runIn(newFrame(environment, false), compiled, work);
}

/** Works like `evaluateDenial` for a DENY, and otherwise like `evaluate`. */
export type Evaluator = (compiled: Compiled, isDenial: boolean, work: Work) => boolean | Failure;

/** For many expressions, evaluated one after the other in the same environment. */
export function evaluatorOf(environment: Environment): Evaluator {
  const allow = newFrame(environment, false);
  const deny = newFrame(environment, true);
  return (compiled, isDenial, work) =>
    booleanOf(compiled, runIn(isDenial ? deny : allow, compiled, work));
}

function booleanOf({ expression }: Compiled, value: Value | Failure): boolean | Failure {
  if (typeof value === "boolean" || isFailure(value)) return value;
  return notA("bool", expression, value);
}

function newFrame(environment: Environment, isDenial: boolean): Frame {
  return { environment, bound: [], isDenial, steps: 0 };
}

function runIn(frame: Frame, { run, steps }: Compiled, work: Work | undefined): Value | Failure {
  frame.steps = steps;
  const value = run(frame);
  if (work) work.steps += frame.steps;
  return value;
}

function build(node: Expression, scope: readonly string[], wrap: Wrap): Run {
  // A trace wants to see each part by itself.
  if (wrap !== alone) return wrap(node, buildNode(node, scope, wrap, build));
  const path = pathOf(node, scope);
  return path
    ? walked(path, buildNode(node, scope, wrap, buildStep))
    : buildNode(node, scope, wrap, build);
}

/** Like `build`, for a part of a path: only the whole path is walked in one go. */
function buildStep(node: Expression, scope: readonly string[], wrap: Wrap): Run {
  return buildNode(node, scope, wrap, buildStep);
}

function buildNode(
  node: Expression,
  scope: readonly string[],
  wrap: Wrap,
  buildInner: typeof build,
): Run {
  const inner = (child: Expression) => buildInner(child, scope, wrap);
  switch (node.kind) {
    case "bool":
    case "int":
    case "string":
      return constant(node.value);
    case "name":
      return buildName(node, scope);
    case "list":
      return buildList(node, inner);
    case "struct":
      return buildStruct(node, inner);
    case "and":
      return buildJunction(node, node.operands.map(inner), false);
    case "or":
      return buildJunction(node, node.operands.map(inner), true);
    case "not":
      return buildNot(node, inner(node.operand));
    case "compare":
      return buildComparison(node, inner(node.left), inner(node.right));
    case "field":
      return buildField(node, inner(node.object), scope);
    case "index":
      return buildIndex(node, inner(node.object), inner(node.index), scope);
    case "slice":
      return buildSlice(node, inner(node.object), inner(node.from), inner(node.to));
    case "call":
      return buildCall(node, node.arguments.map(inner));
    case "method":
      return buildMethod(node, inner(node.object), node.arguments.map(inner));
    case "quantifier": {
      const predicate = build(node.predicate, [...scope, node.variable], wrap);
      return buildQuantifier(node, inner(node.object), predicate, scope.length);
    }
  }
}

function pathOf(node: Expression, scope: readonly string[]): Path | undefined {
  const steps: Step[] = [];
  let root = node;
  while (root.kind !== "name") {
    if (root.kind === "field") steps.push({ kind: "struct", name: root.name });
    else if (root.kind === "index" && root.index.kind === "string") {
      steps.push({ kind: "map", name: root.index.value });
    } else return undefined;
    root = root.object;
  }
  if (steps.length === 0 || scope.includes(root.name)) return undefined;
  steps.reverse();
  // Text in a policy has no quotes in it, so no two paths look alike.
  const names = steps.map(({ kind, name }) => (kind === "struct" ? `.${name}` : `['${name}']`));
  return { text: oneCopy(root.name + names.join("")), root: root.name, steps };
}

/**
 * Reads a path in one go. If anything is unusual, `run` evaluates the parts one by one, so that the
 * right part reports it.
 */
function walked(path: Path, run: Run): Run {
  return (frame) => {
    const { environment } = frame;
    const found = environment.found?.get(path.text);
    if (found !== undefined) return found;
    const value = valueAt(environment, path);
    if (value === undefined || (typeof value === "object" && value.kind === "unusable")) {
      return run(frame);
    }
    environment.found?.set(path.text, value);
    return value;
  };
}

type Node<K extends Expression["kind"]> = Expression & { readonly kind: K };

function constant(value: Value): Run {
  return () => value;
}

function buildName(node: Node<"name">, scope: readonly string[]): Run {
  const { name } = node;
  const slot = scope.lastIndexOf(name);
  // Invariant: a slot is filled before the predicate that reads it runs.
  if (slot >= 0) return ({ bound }) => usable(node, bound[slot] as Value);
  const absent = missing(node, scope, `this request has no \`${name}\``);
  return ({ environment }) => rootNamed(environment, name) ?? absent;
}

function buildNot({ operand }: Node<"not">, run: Run): Run {
  return (frame) => {
    const value = run(frame);
    if (typeof value === "boolean") return !value;
    return isFailure(value) ? value : notA("bool", operand, value);
  };
}

function buildList({ items }: Node<"list">, inner: (child: Expression) => Run): Run {
  if (items.every(isLiteral)) {
    return constant({ kind: "list", items: items.map((item) => item.value) });
  }
  const runs = items.map(inner);
  return (frame) => {
    const values: Value[] = [];
    for (const [i, run] of runs.entries()) {
      const value = run(frame);
      if (isFailure(value)) return worst(frame, value, ...runs.slice(i + 1));
      values.push(value);
    }
    return { kind: "list", items: values };
  };
}

function buildStruct({ members }: Node<"struct">, inner: (child: Expression) => Run): Run {
  const runs = members.map(({ name, value }) => ({ name, run: inner(value) }));
  return (frame) => {
    const entries = Object.create(null);
    for (const [i, { name, run }] of runs.entries()) {
      const value = run(frame);
      if (isFailure(value)) return worst(frame, value, ...runs.slice(i + 1).map(({ run }) => run));
      entries[name] = value;
    }
    return { kind: "struct", entries };
  };
}

/**
 * `&&` and `||` evaluate every side, even after one decides. An error ends the evaluation early,
 * since the whole expression then errs. In a DENY, the value may not depend on the error.
 */
function buildJunction(node: Node<"and" | "or">, runs: Run[], decisive: boolean): Run {
  return (frame) => {
    let result = !decisive;
    let failed: Failure | undefined;
    for (let i = 0; i < runs.length; i++) {
      const value = (runs[i] as Run)(frame);
      if (value === decisive) result = decisive;
      else if (typeof value !== "boolean") {
        const failure = isFailure(value) ? value : notA("bool", node.operands[i] ?? node, value);
        if (!frame.isDenial) return failure;
        failed = heavier(failed, failure);
      }
    }
    return failed && !isDecided(failed, result === decisive) ? failed : result;
  };
}

/** Whether the other sides decide although one of them failed. */
function isDecided({ absent }: Failure, hasDecisive: boolean): boolean {
  return hasDecisive && absent !== "root";
}

/** A DENY that reads an absent root is skipped, one with another error denies. */
function heavier(a: Failure | undefined, b: Failure): Failure {
  return a && weightOf(a) >= weightOf(b) ? a : b;
}

function weightOf({ absent }: Failure): number {
  if (absent === "root") return 2;
  return absent === undefined ? 1 : 0;
}

/** The failure of a part that needs all its operands, the rest of which were not evaluated yet. */
function worst(frame: Frame, failure: Failure, ...rest: readonly Run[]): Failure {
  if (!frame.isDenial) return failure;
  let result = failure;
  for (const run of rest) {
    const value = run(frame);
    if (isFailure(value)) result = heavier(result, value);
  }
  return result;
}

/**
 * Whether the expression is text in decimal digits, or a list of such. Integers can be compared
 * with it, since clients often send them as text, and policies name them as text then.
 */
function isDigits(node: Expression): boolean {
  if (node.kind === "list") return node.items.every(isDigits);
  return node.kind === "string" && digitsOf(node.value) !== undefined;
}

function buildComparison(node: Node<"compare">, left: Run, right: Run): Run {
  const { operator } = node;
  if (node.right.kind === "string" && (operator === "==" || operator === "!=")) {
    return buildTextComparison(node, left, node.right.value);
  }
  if (node.right.kind === "int" && operator !== "in") {
    return buildNumberComparison(node, left, node.right.value);
  }
  const apply = operator === "in" ? undefined : comparison(node, operator);
  const sides = sidesOf(node.left, node.right);
  return (frame) => {
    const a = left(frame);
    if (isFailure(a)) return worst(frame, a, right);
    const b = right(frame);
    if (isFailure(b)) return b;
    return apply ? apply(a, b, frame) : isElement(node, a, b, sides, frame);
  };
}

/** The sides of a comparison that are text in decimal digits. */
type Digits = { readonly left: boolean; readonly right: boolean };

/** An item and the list that it is looked for in. */
type Sides = Digits & { readonly list: Span };

function sidesOf(item: Expression, list: Expression): Sides {
  return { left: isDigits(item), right: isDigits(list), list };
}

/** For a text literal on the right. Its lower case is made once. */
function buildTextComparison(node: Node<"compare">, left: Run, text: string): Run {
  const isEqual = node.operator === "==";
  const lower = oneCopy(lowerCase(text));
  const number = digitsOf(text);
  return (frame) => {
    const a = left(frame);
    if (isFailure(a)) return a;
    let same: boolean | Failure;
    if (isFolded(a)) {
      const { length } = text;
      same = a.text.length === length && (charge(frame, length >> 7, node) ?? a.lower === lower);
    } else if (typeof a === "bigint" && number !== undefined) same = a === number;
    else same = equals(node, a, text, frame);
    return typeof same === "boolean" ? same === isEqual : same;
  };
}

/** For a number literal on the right. */
function buildNumberComparison(node: Node<"compare">, left: Run, number: bigint): Run {
  // Invariant: `in` has a list on its right.
  const operator = node.operator as Exclude<Operator, "in">;
  const apply = comparison(node, operator);
  return (frame) => {
    const a = left(frame);
    if (isFailure(a)) return a;
    return typeof a === "bigint" ? holds(a, operator, number) : apply(a, number, frame);
  };
}

function comparison(node: Node<"compare">, operator: Exclude<Operator, "in">) {
  const digits: Digits = { left: isDigits(node.left), right: isDigits(node.right) };
  switch (operator) {
    case "==":
      return (a: Value, b: Value, frame: Frame) => equals(node, a, b, frame, digits);
    case "!=":
      return (a: Value, b: Value, frame: Frame) => {
        const value = equals(node, a, b, frame, digits);
        return typeof value === "boolean" ? !value : value;
      };
    default:
      return (a: Value, b: Value) => order(node, a, operator, b);
  }
}

function equals(node: Span, a: Value, b: Value, frame: Frame, digits?: Digits): boolean | Failure {
  if (typeof a === "string" && typeof b === "string") {
    return a.length === b.length && (charge(frame, a.length >> 8, node) ?? a === b);
  }
  if (typeof a !== "object" && typeof b !== "object") {
    if (typeof a === typeof b) return a === b;
    if (digits?.right && typeof a === "bigint" && typeof b === "string") return a === digitsOf(b);
    if (digits?.left && typeof a === "string" && typeof b === "bigint") return digitsOf(a) === b;
    return incomparable(node, a, b);
  }
  const [left, right] = [textOf(a), textOf(b)];
  if (left !== undefined && right !== undefined) {
    // One of them is folded, so the case of letters does not count.
    if (left.length !== right.length) return false;
    const plain = typeof a === "string" ? a : typeof b === "string" ? b : "";
    return chargeLower(frame, left.length >> 7, node, plain) ?? lowerOf(a) === lowerOf(b);
  }
  if (isInstant(a) && isInstant(b)) return a.nanoseconds === b.nanoseconds;
  return incomparable(node, a, b);
}

function order(
  node: Span,
  a: Value,
  operator: Exclude<Operator, "in">,
  b: Value,
): boolean | Failure {
  if (typeof a === "bigint" && typeof b === "bigint") return holds(a, operator, b);
  if (isInstant(a) && isInstant(b)) return holds(a.nanoseconds, operator, b.nanoseconds);
  return fail(node, `${kindOf(a)} and ${kindOf(b)} have no order`);
}

/** Whether the comparison of two integers is true. */
export function holds(a: bigint, operator: Exclude<Operator, "in">, b: bigint): boolean {
  switch (operator) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return a < b;
    case ">":
      return a > b;
    case "<=":
      return a <= b;
    case ">=":
      return a >= b;
  }
}

/** Compares with every element, so that one that cannot be compared is not overlooked. */
function isElement(
  node: Span,
  value: Value,
  within: Value,
  sides: Sides,
  frame: Frame,
): boolean | Failure {
  if (!isList(within)) return notA("list", sides.list, within);
  const { items } = within;
  const overrun = charge(frame, items.length, node);
  if (overrun) return overrun;
  let found = false;
  let failed: Failure | undefined;
  for (let i = 0; i < items.length; i++) {
    // Within the bounds of the list.
    const same = equals(node, value, items[i] as Value, frame, sides);
    if (same === true) found = true;
    else if (same !== false) {
      if (!frame.isDenial) return same;
      failed ??= same;
    }
  }
  return failed && !found ? failed : found;
}

function buildField(node: Node<"field">, object: Run, scope: readonly string[]): Run {
  const { name } = node;
  const unset = missing(node, scope, `\`${name}\` is not set`);
  return (frame) => {
    const value = object(frame);
    if (typeof value === "object") {
      if (value.kind === "struct") {
        const field = value.entries[name];
        return field === undefined ? unset : usable(node, field);
      }
      if (value.kind === "failure") return value;
      if (value.kind === "list" && name === "count") return BigInt(value.items.length);
    }
    return fail(node, `${kindOf(value)} has no field \`${name}\``);
  };
}

function buildIndex(node: Node<"index">, object: Run, index: Run, scope: readonly string[]): Run {
  return (frame) => {
    const value = object(frame);
    if (isFailure(value)) return worst(frame, value, index);
    const key = index(frame);
    if (isFailure(key)) return key;
    if (typeof value === "object" && value.kind === "map") {
      const text = textOf(key);
      if (text === undefined) return notA("string", node.index, key);
      const entry = value.entries[text];
      return entry === undefined
        ? missing(node, scope, `there is no key ${show(text)}`)
        : usable(node, entry);
    }
    if (typeof key !== "bigint") return notA("int", node.index, key);
    const position = Number(key);
    if (isList(value)) {
      const item = value.items[position];
      return item === undefined ? outside(node, key, value.items.length) : usable(node, item);
    }
    return sliceText(node, value, position, position + 1, frame, () => outside(node, key));
  };
}

function buildSlice(node: Node<"slice">, object: Run, from: Run, to: Run): Run {
  return (frame) => {
    const value = object(frame);
    if (isFailure(value)) return worst(frame, value, from, to);
    const first = from(frame);
    if (isFailure(first)) return worst(frame, first, to);
    const last = to(frame);
    if (isFailure(last)) return last;
    if (typeof first !== "bigint") return notA("int", node.from, first);
    if (typeof last !== "bigint") return notA("int", node.to, last);
    const [start, end] = [Number(first), Number(last)];
    if (first < 0n || start > end) return fail(node, `there is no slice ${first} to ${last}`);
    if (isList(value)) {
      if (end > value.items.length) return outside(node, last, value.items.length);
      const overrun = charge(frame, end - start, node);
      return overrun ?? { kind: "list", items: value.items.slice(start, end) };
    }
    return sliceText(node, value, start, end, frame, () => outside(node, last));
  };
}

function buildCall(node: Node<"call">, runs: Run[]): Run {
  const [first] = runs;
  const texts = node.arguments.map((value) => (value.kind === "string" ? value.value : ""));
  if (node.name === "CaseInsensitiveString" && first) {
    return (frame) => {
      const value = first(frame);
      if (isFailure(value)) return value;
      const text = textOf(value);
      if (text === undefined) return notA("string", node, value);
      return chargeLower(frame, text.length >> 8, node, text) ?? lowerCase(text);
    };
  }
  if (node.name === "Timestamp") {
    const nanoseconds = parseTimestamp(texts[0] ?? "");
    if (typeof nanoseconds === "bigint") return constant({ kind: "instant", nanoseconds });
  }
  if (node.name === "CronSpan") {
    const span = parseCronSpan(texts);
    if (!("problem" in span)) {
      const absent = fail(node, "this request has no time");
      // No path has parentheses, and no text in a policy has quotes.
      const key = oneCopy(`CronSpan('${texts.join("','")}')`);
      return (frame) => {
        const { environment } = frame;
        const time = rootNamed(environment, "time");
        const now = typeof time === "object" && "entries" in time ? time.entries.now : undefined;
        if (!now || !isInstant(now)) return absent;
        // Charged each time, so that what other policies read does not matter.
        const overrun = charge(frame, CRON_SPAN_STEPS, node);
        if (overrun) return overrun;
        // The time is the same within a decision.
        const isOpen = environment.found?.get(key) ?? isInside(span, now.nanoseconds);
        environment.found?.set(key, isOpen);
        return isOpen;
      };
    }
  }
  throw new TypeError(`${node.name} was not checked`);
}

function buildMethod(node: Node<"method">, object: Run, runs: Run[]): Run {
  const [first] = runs;
  const [item = node.object] = node.arguments;
  const sides = sidesOf(item, node.object);
  return (frame) => {
    const value = object(frame);
    if (isFailure(value)) return worst(frame, value, ...runs);
    if (!isList(value)) return worst(frame, notA("list", node.object, value), ...runs);
    if (!first) return BigInt(value.items.length);
    const wanted = first(frame);
    return isFailure(wanted) ? wanted : isElement(node, wanted, value, sides, frame);
  };
}

function buildQuantifier(node: Node<"quantifier">, object: Run, predicate: Run, slot: number): Run {
  const cost = countNodes(node.predicate);
  const { name } = node;
  return (frame) => {
    const value = object(frame);
    if (isFailure(value)) return value;
    if (!isList(value)) return notA("list", node.object, value);
    const kept: Value[] = [];
    let tested = 0;
    let failed: Failure | undefined;
    for (const item of value.items) {
      const overrun = charge(frame, cost, node);
      if (overrun) {
        if (!frame.isDenial) return overrun;
        failed = heavier(failed, overrun);
        break;
      }
      frame.bound[slot] = item;
      const holds = predicate(frame);
      if (holds === true) kept.push(item);
      if (typeof holds === "boolean") tested++;
      else {
        const failure = isFailure(holds) ? holds : notA("bool", node.predicate, holds);
        if (!frame.isDenial) return failure;
        failed = heavier(failed, failure);
      }
    }
    const hasDecisive = name === "any" ? kept.length > 0 : kept.length < tested;
    if (failed && (name === "filter" || !isDecided(failed, hasDecisive))) return failed;
    if (name === "filter") return { kind: "list", items: kept };
    return hasDecisive === (name === "any");
  };
}

/** Counts work. Returns a failure once an evaluation has done more than any policy needs. */
function charge(frame: Frame, steps: number, node: Span): Failure | undefined {
  frame.steps += steps;
  if (frame.steps <= MAX_STEPS) return undefined;
  return exhausted(node, `the evaluation takes more than ${MAX_STEPS} steps`);
}

/** Also for the lower case of a text, which is made unit by unit if not all of it is ASCII. */
function chargeLower(frame: Frame, steps: number, node: Span, text: string): Failure | undefined {
  return charge(frame, steps, node) ?? charge(frame, isAscii(text) ? 0 : text.length >> 4, node);
}

/** The failure for too much work, at the place that noticed it. */
export function exhausted({ start, end }: Span, reason: string): Failure {
  return { kind: "failure", reason, start, end };
}

/**
 * The number of nodes that run once for each run of this one. Predicates count where they are
 * called.
 */
function countNodes(node: Expression): number {
  if (node.kind === "quantifier") return 1 + countNodes(node.object);
  let count = 1;
  for (const child of childrenOf(node)) count += countNodes(child);
  return count;
}

/**
 * Positions count characters (code points), which differ from code units only in surrogate pairs.
 */
function sliceText(
  node: Span,
  value: Value,
  start: number,
  end: number,
  frame: Frame,
  outOfRange: () => Failure,
): Value | Failure {
  const text = textOf(value);
  if (text === undefined) return fail(node, `${kindOf(value)} has no positions`);
  if (start < 0 || end > text.length) return outOfRange();
  const tooMuch = charge(frame, end >> 8, node);
  if (tooMuch) return tooMuch;
  // In code units.
  let from: number | undefined = start;
  let to: number | undefined = end;
  if (SURROGATE.test(text.slice(0, end))) {
    const overrun = charge(frame, text.length >> 4, node);
    if (overrun) return overrun;
    from = positionOf(text, start, 0);
    to = from === undefined ? undefined : positionOf(text, end - start, from);
    if (from === undefined || to === undefined) return outOfRange();
  }
  const part = text.slice(from, to);
  if (!isFolded(value)) return part;
  return { kind: "folded", text: part, lower: value.lower.slice(from, to) };
}

/** Where in the text so many characters after `from` end. Undefined if there are fewer. */
function positionOf(text: string, characters: number, from: number): number | undefined {
  let position = from;
  for (let left = characters; left > 0; left--) {
    const code = text.codePointAt(position);
    if (code === undefined) return undefined;
    position += code > 0xffff ? 2 : 1;
  }
  return position;
}

const SURROGATE = /[\ud800-\udfff]/;

function textOf(value: Value): string | undefined {
  if (typeof value === "string") return value;
  return isFolded(value) ? value.text : undefined;
}

function lowerOf(value: Value) {
  if (typeof value === "string") return lowerCase(value);
  return isFolded(value) ? value.lower : undefined;
}

function isFolded(value: Value): value is Folded {
  return typeof value === "object" && value.kind === "folded";
}

function isInstant(value: Value): value is Instant {
  return typeof value === "object" && value.kind === "instant";
}

function isList(value: Value): value is List {
  return typeof value === "object" && value.kind === "list";
}

function isLiteral(node: Expression): node is Node<"bool" | "int" | "string"> {
  return node.kind === "bool" || node.kind === "int" || node.kind === "string";
}

function usable(node: Span, value: Value): Value | Failure {
  if (typeof value !== "object" || value.kind !== "unusable") return value;
  return fail(node, `this is ${value.reason}`);
}

/** The failure to read a part that the request does not have. */
function missing(node: Expression, scope: readonly string[], reason: string): Failure {
  const absent = absenceOf(node, scope);
  return { ...fail(node, reason), ...(absent && { absent }) };
}

function kindOf(value: Value | Failure): string {
  if (typeof value === "bigint") return "int";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string" || value.kind === "folded") return "string";
  return value.kind === "instant" ? "timestamp" : value.kind;
}

function notA(wanted: string, node: Span, value: Value): Failure {
  return fail(node, `this is ${kindOf(value)}, not ${wanted}`);
}

function incomparable(node: Span, a: Value, b: Value): Failure {
  return fail(node, `${kindOf(a)} and ${kindOf(b)} cannot be compared`);
}

function outside(node: Span, index: bigint, length?: number): Failure {
  const size = length === undefined ? "the text" : `the list of ${length}`;
  return fail(node, `position ${index} is outside ${size}`);
}

function fail({ start, end }: Span, reason: string): Failure {
  return { kind: "failure", reason, start, end };
}
