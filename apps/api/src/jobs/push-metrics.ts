import type { MetricsPushSettings } from "../config/telemetry.ts";
import type { Host } from "../host/host.ts";
import { lastSend } from "../observability/last-send.ts";
import { startLoop } from "./loop.ts";

/**
 * Sends the numbers of this process to a collector, until it is stopped, and then once more. Numbers that a collector
 * refuses are not kept: the next ones say the same. The library is loaded only here, and only if it is switched on
 * (decision 32).
 */
export async function startPushingMetrics(
  settings: MetricsPushSettings | null,
  { metrics, log }: Pick<Host, "metrics" | "log">,
): Promise<{ stop(): Promise<void> }> {
  if (settings === null) return { async stop() {} };
  const { createSender } = await import("../observability/otlp-metrics.ts");
  const send = createSender(settings);
  const push = async () => send(await metrics.counted());
  const loop = startLoop({
    everyMs: settings.everyMs,
    firstMs: settings.everyMs,
    async round() {
      await push();
      return "idle";
    },
    logFailure: (error) =>
      log.warn({ reason: error instanceof Error ? error.message : "" }, "metrics were not sent"),
  });
  return {
    // What was counted since the last round.
    stop: () => lastSend(loop.stop().then(push, push)),
  };
}
