import type { TracesSettings } from "../config/telemetry.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { endWith, inSpan } from "./spans.ts";
import { NO_TRACING, type Tracing } from "./tracing.ts";

/** The library is loaded only here, and only if traces are switched on (decision 32). */
export async function startTracing(
  settings: TracesSettings | null,
  { log, metrics }: { log: Log; metrics: Pick<Metrics, "spans"> },
): Promise<Tracing> {
  if (settings === null) return NO_TRACING;
  const { createTracer } = await import("./otlp.ts");
  const tracer = createTracer(settings, { log, metrics });
  return {
    isOn: true,
    root(name, root, work) {
      const span = tracer.begin(name, root);
      if (!span) return inSpan(undefined, () => work(undefined));
      return inSpan(span, () => endWith(span, () => work(span)));
    },
    note: tracer.note,
    stop: tracer.stop,
  };
}
