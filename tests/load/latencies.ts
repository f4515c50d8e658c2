/** Milliseconds that requests took. */
export type Latencies = number[];

function percentile(latencies: Latencies, share: number): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export type Summary = { count: number; p50: number; p99: number };

export function summarize(latencies: Latencies): Summary {
  return {
    count: latencies.length,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

export function show({ count, p50, p99 }: Summary): string {
  return `median ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (${count})`;
}

/** What the other organization got. */
export type Measured = { signatures: Latencies; queries: Latencies; failures: string[] };

/** How many slices were measured, and in how many of them nothing else used the machine. */
export type InSlices = Measured & { slices: number; quiet: number };

export function joined(all: Measured[]): Measured {
  return {
    signatures: all.flatMap(({ signatures }) => signatures),
    queries: all.flatMap(({ queries }) => queries),
    failures: all.flatMap(({ failures }) => failures),
  };
}
