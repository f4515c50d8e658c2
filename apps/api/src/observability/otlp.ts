import { release } from "@keyhearth/outbound/release";
import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { ExportResultCode, parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { TracesSettings } from "../config/telemetry.ts";
import { collectorFailure } from "./collector-failure.ts";
import { lastSend } from "./last-send.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { currentSpan, type Span } from "./spans.ts";
import type { Root } from "./tracing.ts";

/** However many requests come: so tracing takes a bounded part of the processor, and a stranger cannot fill it. */
const TRACES_PER_SECOND = 100;

/** Ended spans that wait to be sent, while the collector is slow or away. Others are dropped and counted. */
const MAX_WAITING = 4096;
const BATCH = 256;
const SEND_EVERY_MS = 1000;
const SEND_TIMEOUT_MS = 5000;

/** Commits that a job may go on with. */
const MAX_NOTED = 1024;

const LOG_AGAIN_MS = 60_000;

type Observers = { log: Log; metrics: Pick<Metrics, "spans"> };

export function createTracer(settings: TracesSettings, observers: Observers) {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "keyhearth", "service.version": release }),
    sampler: createSampler(settings.share),
    spanProcessors: [createProcessor(createExporter(settings), observers)],
    spanLimits: { attributeCountLimit: 16, attributeValueLengthLimit: 200, eventCountLimit: 0 },
  });
  const tracer = provider.getTracer("keyhearth", release);
  const noted = new Map<string, SpanContext>();
  return {
    begin(name: string, { kind, traceparent, follows, attributes }: Root): Span | null {
      const parent = (follows && noted.get(follows)) || fromClient(traceparent);
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      const of = kind === "server" ? SpanKind.SERVER : SpanKind.CONSUMER;
      const span = tracer.startSpan(name, { kind: of, ...(attributes && { attributes }) }, context);
      return span.isRecording() ? new RecordedSpan(span, tracer, context) : null;
    },
    note(id: string) {
      const span = currentSpan();
      if (!span) return;
      const { traceId, spanId } = span.ids;
      noted.set(id, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
      const [oldest] = noted.keys();
      if (noted.size > MAX_NOTED && oldest !== undefined) noted.delete(oldest);
    },
    stop: () => lastSend(provider.shutdown()),
  };
}

class RecordedSpan implements Span {
  readonly #span: OtelSpan;
  readonly #tracer: Tracer;
  readonly #context: Context;

  constructor(span: OtelSpan, tracer: Tracer, parent: Context) {
    this.#span = span;
    this.#tracer = tracer;
    this.#context = trace.setSpan(parent, span);
  }

  get ids() {
    const { traceId, spanId } = this.#span.spanContext();
    return { traceId, spanId };
  }

  child(name: string, kind: "internal" | "client"): Span {
    const options = { kind: kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL };
    const child = this.#tracer.startSpan(name, options, this.#context);
    return new RecordedSpan(child, this.#tracer, this.#context);
  }

  set: Span["set"] = (attributes) => {
    this.#span.setAttributes(attributes);
    const { "error.type": type, "http.response.status_code": status } = attributes;
    // A refusal is not an error of the service.
    const isError = status === undefined ? type !== undefined : status >= 500;
    if (isError) this.#span.setStatus({ code: SpanStatusCode.ERROR });
  };

  end() {
    this.#span.end();
  }
}

/** A header of another form begins no trace, and neither does it end the request. */
function fromClient(traceparent: string | undefined): SpanContext | null {
  const parsed = traceparent === undefined ? null : parseTraceParent(traceparent);
  return parsed && { ...parsed, isRemote: true };
}

/** What a client asks for is traced no more often than what nobody asks for. */
function createSampler(share: number): Sampler {
  const ofShare = new TraceIdRatioBasedSampler(share);
  let left = TRACES_PER_SECOND;
  let filledAt = performance.now();
  function take(): boolean {
    const now = performance.now();
    left = Math.min(TRACES_PER_SECOND, left + ((now - filledAt) / 1000) * TRACES_PER_SECOND);
    filledAt = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  }
  return {
    shouldSample(context, traceId) {
      const parent = trace.getSpanContext(context);
      if (parent && !parent.isRemote) return { decision: SamplingDecision.RECORD_AND_SAMPLED };
      const isUnwanted = parent && (parent.traceFlags & TraceFlags.SAMPLED) === 0;
      const { decision } = ofShare.shouldSample(context, traceId);
      const isSampled = !isUnwanted && decision === SamplingDecision.RECORD_AND_SAMPLED && take();
      return {
        decision: isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
      };
    },
    toString: () => `share ${share}, at most ${TRACES_PER_SECOND} a second`,
  };
}

function createExporter({ url, headers }: TracesSettings): SpanExporter {
  const opened = Object.entries(headers).map(([name, value]) => [name, value.open()]);
  return new OTLPTraceExporter({
    url,
    headers: Object.fromEntries(opened),
    timeoutMillis: SEND_TIMEOUT_MS,
    // One at a time, but for what is left at the end.
    concurrencyLimit: MAX_WAITING / BATCH,
  });
}

/** Sends in the background. A collector that is slow, refuses or is away costs spans, and nothing else. */
function createProcessor(exporter: SpanExporter, { log, metrics }: Observers): SpanProcessor {
  let waiting = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  const counting: SpanExporter = {
    export(spans: ReadableSpan[], onResult) {
      waiting -= spans.length;
      exporter.export(spans, (result) => {
        const isSent = result.code === ExportResultCode.SUCCESS;
        metrics.spans(isSent ? "sent" : "failed", spans.length);
        const now = performance.now();
        if (!isSent && now - loggedAt >= LOG_AGAIN_MS) {
          loggedAt = now;
          log.warn({ reason: collectorFailure(result.error) }, "traces were not sent");
        }
        onResult(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor({
    exporter: counting,
    maxQueueSize: MAX_WAITING,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: 2 * SEND_TIMEOUT_MS,
  });
  return {
    onStart() {},
    onEnd(span) {
      if (waiting >= MAX_WAITING) return metrics.spans("dropped", 1);
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
