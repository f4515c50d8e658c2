/** The clocks of host and signer differ a little, and a host asks the same questions. */
const TOLERANCE_MS = 5 * 60 * 1000;

/**
 * Was it made later than now? The signer's clock never runs backwards by itself, so then its operator has taken a
 * wrong time back, and what was made at that time would last too long.
 */
export function isFromFuture({ createdAtMs }: { createdAtMs: number }, nowMs: number): boolean {
  return createdAtMs > nowMs + TOLERANCE_MS;
}
