import type { Expression } from "../ast.ts";
import type { Environment } from "../environment.ts";
import {
  type Compiled,
  evaluate,
  evaluateDenial,
  type Frame,
  prepare,
  type Work,
} from "../evaluate.ts";
import { type Failure, isFailure, show, type Value } from "../values.ts";

// Why an expression has its value: the parts that decided it, for a reader.

/** One part of an expression whose value decided the value of the part around it. */
export type TraceStep = {
  readonly start: number;
  readonly end: number;
  /** How many deciding parts enclose it. */
  readonly depth: number;
  /** The value as an author would write it, or why there is none. */
  readonly value?: string;
  readonly error?: string;
  /** Inside quantifiers: their variables and the elements they stood for. */
  readonly bindings?: Readonly<Record<string, string>>;
};

export type Trace = {
  readonly value: boolean | Failure;
  /** From the whole expression inwards. */
  readonly steps: readonly TraceStep[];
  /** Further steps were left out. */
  readonly isCut: boolean;
};

/** Steps a trace holds at most. */
export const MAX_TRACE = 500;

/**
 * Evaluates an expression and names every part that decided: the false sides of a false `&&`, the
 * true sides of a true `||`, the elements an `any` or `all` rests on, what a comparison compared,
 * and where an error came from. `work` counts what the evaluation took.
 */
export function trace(compiled: Compiled, environment: Environment, work?: Work): Trace {
  return traceWith(evaluate, compiled, environment, work);
}

/** Like `trace`, but for a clause of a DENY. */
export function traceDenial(compiled: Compiled, environment: Environment, work?: Work): Trace {
  return traceWith(evaluateDenial, compiled, environment, work);
}

function traceWith(
  evaluateClause: typeof evaluate,
  compiled: Compiled,
  environment: Environment,
  work: Work | undefined,
): Trace {
  const { expression } = compiled;
  let current: Visit | undefined;
  let visits = 0;
  const recording = prepare(compiled, (node, run) => (frame) => {
    if (++visits > MAX_VISITS) return run(frame);
    const visit: Visit = { node, children: [], elements: elementsOf(frame), value: false };
    current?.children.push(visit);
    const around = current;
    current = visit;
    visit.value = run(frame);
    current = around;
    return visit.value;
  });
  // The outermost expression has no enclosing visit, so one is added.
  const outside: Visit = { node: expression, children: [], elements: [], value: false };
  current = outside;
  const value = evaluateClause(recording, environment, work);
  const steps: TraceStep[] = [];
  const [root] = outside.children;
  const isComplete = root === undefined || collect(root, 0, [], steps);
  return { value, steps, isCut: !isComplete || visits > MAX_VISITS };
}

/** Enough for every step of a trace. Anything beyond is evaluated without a record. */
const MAX_VISITS = 20_000;

type Visit = {
  readonly node: Expression;
  readonly children: Visit[];
  /** The elements that the enclosing quantifiers were looking at. */
  readonly elements: readonly Value[];
  value: Value | Failure;
};

function elementsOf({ bound }: Frame): readonly Value[] {
  return [...bound];
}

function collect(
  visit: Visit,
  depth: number,
  names: readonly string[],
  steps: TraceStep[],
): boolean {
  if (steps.length >= MAX_TRACE) return false;
  const { node, value, elements } = visit;
  const { start, end } = node;
  const bindings = Object.fromEntries(
    names.map((name, i) => [name, show(elements[i] ?? false)] as const),
  );
  steps.push({
    start,
    end,
    depth,
    ...(isFailure(value) ? { error: value.reason } : { value: show(value) }),
    ...(names.length > 0 && { bindings }),
  });
  let isComplete = true;
  for (const child of decidingChildren(visit)) {
    const isPredicate = node.kind === "quantifier" && child.node === node.predicate;
    const inner = isPredicate ? [...names, node.variable] : names;
    isComplete = collect(child, depth + 1, inner, steps) && isComplete;
  }
  return isComplete;
}

function decidingChildren({ node, value, children }: Visit): readonly Visit[] {
  if (isFailure(value)) {
    const failed = children.filter((child) => isFailure(child.value));
    // At the origin of the error, its operands explain it. A path is shown as a whole.
    if (failed.length > 0 || node.kind === "field") return failed;
    return children.filter((child) => !isLiteral(child.node));
  }
  switch (node.kind) {
    case "and":
    case "or":
      return children.filter((child) => child.value === value);
    case "quantifier": {
      const [object, ...predicates] = children;
      const decided = predicates.filter(({ value: holds }) => {
        if (node.name === "filter") return holds === true;
        return holds === value;
      });
      return object ? [object, ...decided] : decided;
    }
    // A path is shown by its value, since nothing inside it decides by itself.
    case "field":
      return [];
    default:
      return children.filter((child) => !isLiteral(child.node));
  }
}

function isLiteral({ kind }: Expression) {
  return kind === "bool" || kind === "int" || kind === "string" || kind === "list";
}
