import type { Answer } from "@keyhearth/engine/core/protocol";
import type { Log } from "../observability/log.ts";
import type { Metrics } from "../observability/metrics.ts";

/** Watches the signer's clock. Nothing that this process sees or says moves, confirms or delays that clock. */
export type SignerClock = { note(answer: Answer): void };

/** Requests may be stamped five minutes ahead, so people would notice much more. */
const MAX_OFFSET_MS = 60_000;

/** An alarm says so once, until it is over. */
export function createSignerClock({
  log,
  metrics,
  now,
}: {
  log: Log;
  metrics: Metrics;
  now: () => number;
}): SignerClock {
  let run: string | undefined;
  let known = 0;
  let isOff = false;
  let isRefused = false;

  function noteRefusal(message: string | null) {
    metrics.signerClockRefused(message !== null);
    if (message !== null && !isRefused) {
      log.error(
        { signer: { message } },
        "the signer does not believe its clock and refuses to work",
      );
    }
    isRefused = message !== null;
  }

  return {
    note(answer) {
      if (answer.kind === "error") {
        const { reason, message } = answer.error;
        if (reason === "CLOCK_JUMPED" || reason === "CLOCK_BACKWARDS") noteRefusal(message);
        return;
      }
      if (answer.kind !== "description") return;
      noteRefusal(null);
      const offsetMs = answer.nowMs - now();
      metrics.signerClock(offsetMs / 1000, answer.clockJumps);
      const wasOff = isOff;
      isOff = Math.abs(offsetMs) > MAX_OFFSET_MS;
      if (isOff && !wasOff) {
        const seconds = Math.round(offsetMs / 1000);
        log.error({ signer: { seconds } }, "the clocks of the signer and of this process differ");
      }
      if (answer.run !== run) known = 0;
      if (answer.clockJumps > known) {
        const jumps = answer.clockJumps;
        log.error(
          { signer: { jumps } },
          "the signer's clock jumped; the signer's log says how far",
        );
      }
      run = answer.run;
      known = answer.clockJumps;
    },
  };
}
