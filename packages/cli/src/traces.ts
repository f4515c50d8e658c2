import { type Trace, type TraceStep, trace, traceDenial } from "@keyhearth/policy/advice/trace";
import type { Span } from "@keyhearth/policy/ast";
import type { Effect } from "@keyhearth/policy/decide";
import type { Environment } from "@keyhearth/policy/environment";
import type { Compiled } from "@keyhearth/policy/evaluate";
import { isFailure } from "@keyhearth/policy/values";
import { indent, oneLine, type Paint, plain, pointAt } from "./output.ts";

/** An expression with its value and the parts that decided it. */
export type Traced = Trace & { readonly source: string };

export function traceOf(effect: Effect, compiled: Compiled, environment: Environment): Traced {
  const traceClause = effect === "EFFECT_DENY" ? traceDenial : trace;
  return { source: compiled.source, ...traceClause(compiled, environment) };
}

/** The expression with carets under the parts it rests on, then every step towards its value. */
export function traceText(traced: Traced, paint: Paint): string[] {
  const { source, value, steps, isCut } = traced;
  const spans = isFailure(value) ? [value] : decidingSpans(steps);
  const shown = pointAt(source, spans).map((line) => {
    return /^[ ^]+$/.test(line) ? paint("yellow", line) : line;
  });
  const tree = steps.flatMap(({ start, end }, i) => {
    // The whole expression stands above.
    if (i === 0) return [];
    const part = oneLine(source.slice(start, end), 80);
    return `${paint("dim", guides(steps, i))}${part} ${paint("dim", "->")} ${result(steps, i, paint)}`;
  });
  if (isCut) tree.push(paint("dim", "... and further parts"));
  return [...shown, ...indent(tree)];
}

/** The trace for machines. */
export function traceJson({ source, value, steps, isCut }: Traced) {
  return {
    source,
    ...(isFailure(value) ? { error: errorJson(value) } : { value }),
    trace: steps.map(({ start, end, ...step }) => ({
      text: source.slice(start, end),
      start,
      end,
      ...step,
    })),
    isCut,
  };
}

function errorJson({ reason, start, end }: Span & { reason: string }) {
  return { message: reason, start, end };
}

/** The parts that are true or false on their own. They decide a value through `&&`, `any`, ... */
function decidingSpans(steps: readonly TraceStep[]): Span[] {
  // Depth of the steps that led here without leaving parts that are true or false.
  let reached = -1;
  return steps.filter((step, i) => {
    reached = Math.min(reached, step.depth - 1);
    if (!isTruth(step) || reached < step.depth - 1) return false;
    reached = step.depth;
    return !childrenOf(steps, i).some(isTruth);
  });
}

function childrenOf(steps: readonly TraceStep[], at: number): TraceStep[] {
  const depth = steps[at]?.depth ?? 0;
  const after = steps.slice(at + 1);
  const end = after.findIndex((step) => step.depth <= depth);
  return after.slice(0, end < 0 ? undefined : end).filter((step) => step.depth === depth + 1);
}

function isTruth({ value }: TraceStep) {
  return value === "true" || value === "false";
}

function result(steps: readonly TraceStep[], at: number, paint: Paint): string {
  const { value, error, bindings, depth } = steps[at] as TraceStep;
  if (error !== undefined) {
    // The reason is shown where the error arose.
    const isInner = childrenOf(steps, at).some((child) => child.error !== undefined);
    return paint("red", isInner ? "error" : `error: ${plain(error)}`);
  }
  const shown = paintValue(value ?? "", paint);
  const around = steps.slice(0, at).findLast((step) => step.depth < depth)?.bindings ?? {};
  const elements = Object.entries(bindings ?? {})
    .filter(([name]) => !Object.hasOwn(around, name))
    .map(([name, element]) => `${plain(name)} = ${oneLine(element, 60)}`);
  if (elements.length === 0) return shown;
  return `${shown} ${paint("dim", `with ${elements.join(", ")}`)}`;
}

export function paintValue(value: string, paint: Paint): string {
  if (value === "true") return paint("green", value);
  return value === "false" ? paint("red", value) : plain(value);
}

/** The lines of a tree before the step: the steps of the whole expression have depth 1. */
function guides(steps: readonly TraceStep[], at: number): string {
  const { depth } = steps[at] as TraceStep;
  let text = "";
  for (let level = 1; level <= depth; level++) {
    const next = steps.slice(at + 1).find((step) => step.depth <= level);
    const continues = next?.depth === level;
    if (level === depth) text += continues ? "├─ " : "└─ ";
    else text += continues ? "│  " : "   ";
  }
  return text;
}
