import type { TraceStep } from "@keyhearth/policy/advice/trace";
import { useMemo } from "react";
import styles from "./PolicyBench.module.css";

type Props = { source: string; steps: readonly TraceStep[] };

type Part = { step: TraceStep; parts: Part[] };

/** The parts that decided, each below the part that it decided. The whole expression stands above. */
export function TraceTree({ source, steps }: Props) {
  const parts = useMemo(() => nested(steps.slice(1, MOST)), [steps]);
  return <Parts source={source} parts={parts} />;
}

/** Enough to fill a few screens. */
const MOST = 80;

function Parts({ source, parts }: { source: string; parts: readonly Part[] }) {
  if (parts.length === 0) return null;
  return (
    <ul className={styles.tree}>
      {parts.map(({ step, parts: inner }, index) => (
        // The steps of a result never change their order, so the position is a stable key.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <li key={index}>
          <code>{source.slice(step.start, step.end).replace(/\s+/g, " ")}</code>
          <span data-value={step.error === undefined ? step.value : "error"}>
            {step.value ?? step.error}
          </span>
          {step.bindings && <small>{boundBy(step.bindings)}</small>}
          <Parts source={source} parts={inner} />
        </li>
      ))}
    </ul>
  );
}

function boundBy(bindings: Readonly<Record<string, string>>): string {
  return Object.entries(bindings)
    .map(([name, value]) => `${name} = ${value}`)
    .join(", ");
}

function nested(steps: readonly TraceStep[]): Part[] {
  const roots: Part[] = [];
  const path: Part[] = [];
  for (const step of steps) {
    const part = { step, parts: [] };
    path.length = Math.min(path.length, Math.max(0, step.depth - 1));
    (path.at(-1)?.parts ?? roots).push(part);
    path.push(part);
  }
  return roots;
}
