import { highlight } from "@keyhearth/policy/advice/highlighting";
import type { PolicyTrace, PolicyTraceStep } from "@keyhearth/sdk";
import { Fragment, type ReactNode } from "react";
import "./language.css";

type Place = { start: number; end: number };

/** A clause with its colours. */
export function Expression({ source }: { source: string }) {
  return (
    <pre className="clause">
      <code>{coloured(source, { start: 0, end: source.length })}</code>
    </pre>
  );
}

/** The text of a place with its colours. */
function coloured(source: string, { start, end }: Place): ReactNode {
  const parts: ReactNode[] = [];
  let at = start;
  for (const part of highlight(source)) {
    if (part.end <= start || part.start >= end) continue;
    const [from, to] = [Math.max(part.start, start), Math.min(part.end, end)];
    if (from > at) parts.push(source.slice(at, from));
    parts.push(
      <span key={from} className={`code-${part.kind}`}>
        {source.slice(from, to)}
      </span>,
    );
    at = to;
  }
  if (at < end) parts.push(source.slice(at, end));
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other order
    <Fragment key={index}>{part}</Fragment>
  ));
}

/**
 * A clause with the parts that decided its value marked in it, and what each of them was below. Without the text of the clause,
 * as after a change of the policy, the parts stand alone.
 */
export function TracedExpression({ source, trace }: { source?: string; trace: PolicyTrace }) {
  const { steps, value, error, isCut } = trace;
  const fits = source !== undefined && steps.every((step) => isAt(step, source));
  return (
    <div className="traced">
      <p className="traced-head">
        <code>{trace.clause}</code> <Value value={error === undefined ? String(value) : "error"} />
      </p>
      {error !== undefined && <p className="field-error">{error}</p>}
      {fits ? (
        <pre className="clause">
          <code>{marked(source, deciding(steps))}</code>
        </pre>
      ) : (
        <p className="faint">The policy has another text by now, so only the parts are shown.</p>
      )}
      <Steps steps={fits ? steps.slice(1) : steps} />
      {isCut && <p className="faint">Further parts are left out.</p>}
    </div>
  );
}

function isAt({ start, end, text }: PolicyTraceStep, source: string): boolean {
  const part = source.slice(start, end);
  return part === text || (text.length >= 199 && part.startsWith(text.slice(0, 150)));
}

/** The parts that are true or false on their own: they decide the value through `&&`, `any` and the like. */
function deciding(steps: readonly PolicyTraceStep[]): PolicyTraceStep[] {
  // Depth of the steps that led here without leaving parts that are true or false.
  let reached = -1;
  const found = steps.filter((step, i) => {
    reached = Math.min(reached, step.depth - 1);
    if (!isTruth(step) || reached < step.depth - 1) return false;
    reached = step.depth;
    return !childrenOf(steps, i).some(isTruth);
  });
  // A part is looked at once for each element of a list. It is marked once.
  return found.filter(
    ({ start, end }, i) => found.findIndex((other) => other.start < end && start < other.end) === i,
  );
}

function childrenOf(steps: readonly PolicyTraceStep[], at: number): PolicyTraceStep[] {
  const depth = steps[at]?.depth ?? 0;
  const after = steps.slice(at + 1);
  const end = after.findIndex((step) => step.depth <= depth);
  return after.slice(0, end < 0 ? undefined : end).filter((step) => step.depth === depth + 1);
}

function isTruth({ value, error }: PolicyTraceStep): boolean {
  return value === "true" || value === "false" || error !== undefined;
}

function marked(source: string, parts: readonly PolicyTraceStep[]): ReactNode {
  const shown: ReactNode[] = [];
  let at = 0;
  for (const part of [...parts].sort((a, b) => a.start - b.start)) {
    const value = part.error === undefined ? part.value : "error";
    shown.push(
      <Fragment key={`before ${part.start}`}>
        {coloured(source, { start: at, end: part.start })}
      </Fragment>,
      <mark key={part.start} className={`decided decided-${value}`}>
        {coloured(source, part)}
        <span className="decided-value"> {value}</span>
      </mark>,
    );
    at = part.end;
  }
  shown.push(<Fragment key="rest">{coloured(source, { start: at, end: source.length })}</Fragment>);
  return shown;
}

const MOST = 60;

function Steps({ steps }: { steps: readonly PolicyTraceStep[] }) {
  if (steps.length === 0) return null;
  const least = Math.min(...steps.map(({ depth }) => depth));
  return (
    <ul className="steps" aria-label="Parts that decided">
      {steps.slice(0, MOST).map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps keep their order
        <li key={index} className={`step step-${Math.min(step.depth - least, 6)}`}>
          <code>{step.text.replace(/\s+/g, " ")}</code> <Value value={step.value ?? "error"} />
          {step.error !== undefined && <span className="faint"> {step.error}</span>}
          {step.bindings && (
            <span className="faint">
              {" "}
              with{" "}
              {Object.entries(step.bindings)
                .map(([name, value]) => `${name} = ${value}`)
                .join(", ")}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Value({ value }: { value: string }) {
  const tone = value === "true" ? "good" : value === "false" || value === "error" ? "bad" : "plain";
  return <span className={`value value-${tone}`}>{value}</span>;
}
