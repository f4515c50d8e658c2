import {
  type InSlices,
  type Latencies,
  type Measured,
  type Summary,
  show,
  summarize,
} from "./latencies.ts";

/** What is promised to everybody else while all rows attack at once. */
const BOUNDS = { p50: 2, p99: 4, megabytes: 700 };

type Kind = "signatures" | "queries";
const kinds: Kind[] = ["signatures", "queries"];

export type Outcome = {
  alone: Record<Kind, Summary>;
  attacked: Record<Kind, Summary>;
  megabytes: number;
  /** Sentences about what was not kept. */
  broken: string[];
};

type Judged = { alone: Measured; attacked: Measured; megabytes: number };

export function judge({ alone, attacked, megabytes }: Judged): Outcome {
  const broken: string[] = [];
  const summaries = { alone: summarizeAll(alone), attacked: summarizeAll(attacked) };
  for (const kind of kinds) {
    for (const which of ["p50", "p99"] as const) {
      const [without, beside] = [summaries.alone[kind][which], summaries.attacked[kind][which]];
      const ratio = beside / without;
      if (ratio <= BOUNDS[which]) continue;
      const times = `${ratio.toFixed(2)} times, at most ${BOUNDS[which]}`;
      const both = `${beside.toFixed(1)} ms, alone ${without.toFixed(1)} ms`;
      broken.push(`the ${which} of ${kind} is ${both}: ${times}`);
    }
  }
  if (!(megabytes < BOUNDS.megabytes)) {
    broken.push(`the service takes ${Math.round(megabytes)} MB, at most ${BOUNDS.megabytes}`);
  }
  const failures = [...alone.failures, ...attacked.failures];
  if (failures.length > 0) broken.push(`${failures.length} requests failed: ${failures[0]}`);
  return { ...summaries, megabytes, broken };
}

export function describe({ alone, attacked, megabytes, broken }: Outcome): string {
  return [
    ...kinds.map((kind) => `${kind}: alone ${show(alone[kind])}; attacked ${show(attacked[kind])}`),
    `memory: at most ${Math.round(megabytes)} MB`,
    ...broken.map((sentence) => `BROKEN: ${sentence}`),
  ].join("\n");
}

/** One line of the progress. */
export function line({ slices, quiet, ...measured }: InSlices): string {
  const parts = kinds.map((kind) => `${kind} ${show(summarize(measured[kind]))}`);
  const { failures } = measured;
  if (failures.length > 0) parts.push(`${failures.length} failed: ${failures[0]}`);
  if (quiet < slices) parts.push(`other work ran in ${slices - quiet} of ${slices} slices`);
  return parts.join(", ");
}

const summarizeAll = ({ signatures, queries }: Record<Kind, Latencies>) => ({
  signatures: summarize(signatures),
  queries: summarize(queries),
});
