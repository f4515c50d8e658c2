/**
 * One worker's part of bounds that all workers of a service keep together: each number divided by them, and at least one.
 * Times, whose names end in `Ms`, stay as they are.
 */
export function partOf<Bounds extends object>(bounds: Bounds, workers: number): Bounds {
  if (workers === 1) return bounds;
  const parts = Object.entries(bounds).map(([name, value]) => [
    name,
    name.endsWith("Ms") ? value : partOfMember(value, workers),
  ]);
  return Object.fromEntries(parts) as Bounds;
}

function partOfMember(value: unknown, workers: number): unknown {
  if (typeof value === "number") return partOfNumber(value, workers);
  return typeof value === "object" && value !== null ? partOf(value, workers) : value;
}

/** A worker that could do nothing of a kind would refuse what the others have room for. */
export function partOfNumber(value: number, workers: number): number {
  return Math.max(1, Math.ceil(value / workers));
}
