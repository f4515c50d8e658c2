import type { Description, Request } from "@keyhearth/engine/core/protocol";
import type { Log } from "../observability/log.ts";
import type { Metrics } from "../observability/metrics.ts";

type Run = Pick<Description, "run" | "starts" | "startedAtMs" | "shortages">;

/** Watches which run of the signer answers. */
export type SignerRuns = { note(run: Run): void };

/**
 * A start ends the counts of attempts at one-time codes, so whoever can restart the signer can have codes guessed
 * (decision 14). The log and the metrics show each start that this process notices.
 */
export function createSignerRuns({ log, metrics }: { log: Log; metrics: Metrics }): SignerRuns {
  let known: Run | null = null;
  return {
    note({ run, starts, startedAtMs, shortages = 0 }) {
      metrics.signerShortages(shortages);
      // A signer of another version may say nothing. The start refuses it.
      if (run === undefined || known?.run === run) return;
      const before = known;
      known = { run, starts, startedAtMs };
      metrics.signerStarted(starts, startedAtMs / 1000);
      const startedAt = new Date(startedAtMs).toISOString();
      if (!before) return log.info({ signer: { starts, startedAt } }, "the signer is known");
      log.error(
        { signer: { starts, startsBefore: before.starts, startedAt } },
        "the signer has started again, so one-time codes that wait are void and attempts at codes are counted afresh; find out who restarted it",
      );
    },
  };
}

/** Asks the signer who it is, again and again, until it is stopped. */
export function watchSignerRuns(
  { askSigner }: { askSigner: (request: Request) => Promise<unknown> },
  intervalMs: number,
): { stop(): void } {
  // An answer is noted by whoever asks, and a signer that cannot be asked has been logged.
  const timer = setInterval(() => void askSigner({ call: "describe" }).catch(() => {}), intervalMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
