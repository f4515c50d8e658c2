import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client";

/** What `/metrics` shows. Each app has its own registry, so tests can run side by side. */
export type Metrics = {
  /** `route` is the pattern, never the path: a stranger must not be able to create labels. */
  request(route: string, status: number, seconds: number): void;
  /** Open connections of clients and proxies. */
  connections(count: number): void;
  /** A connection was cut to make room: for its own address, or for all. */
  connectionCut(bound: "address" | "total"): void;
  /** How often this process had no file descriptor left. */
  shortages(count: number): void;
  activity(type: string, status: string): void;
  signerCall(call: string, seconds: number): void;
  signerFailure(call: string): void;
  signerQueueDepth(depth: number): void;
  /** A run of the signer that was not known before. */
  signerStarted(starts: number, atSeconds: number): void;
  /** How far the signer's clock is ahead of ours, and how many jumps of it the signer has believed in this run. */
  signerClock(offsetSeconds: number, jumps: number): void;
  /** Whether the signer refuses to work because it does not believe its clock. */
  signerClockRefused(isRefused: boolean): void;
  /** How often the signer's process had no file descriptor left, in its current run. */
  signerShortages(count: number): void;
  /** One commit that `size` requests shared. */
  commit(size: number, seconds: number): void;
  commitConflict(): void;
  query(name: string, seconds: number): void;
  /** Whether a standby answers what it may. */
  standbyAsked(isAsked: boolean): void;
  /** One attempt to deliver a message. */
  message(kind: string, outcome: "delivered" | "failed" | "dropped" | "retried"): void;
  /** Messages in the outbox. */
  outbox(counts: { waiting: number; failed: number }): void;
  /** Whether each part can work, as `/readyz` says it. */
  ready(parts: { database: boolean; signer: boolean }): void;
  /** The signer refused a record as stale that the database still holds. */
  staleRecord(): void;
  /** Deliveries to webhooks that have not ended. */
  webhooksWaiting(count: number): void;
  /** Free space of the disk of the data directory. */
  diskFree(bytes: number): void;
  /** Spans of traces, by what became of them. */
  spans(outcome: SpanOutcome, count: number): void;
  /** The families that store the most, the largest first. */
  largestFamilies(families: readonly { organizationId: string; bytes: number }[]): void;
  /** What this process has counted, for another one that shows it with its own. */
  counted(): Promise<Counted>;
  /** As Prometheus reads it, with what other processes have counted. */
  render(others?: readonly Counted[]): Promise<{ contentType: string; body: string }>;
};

/** What one process has counted. It can be sent to another process. */
export type Counted = MetricObjectWithValues<MetricValue<string>>[];

export type SpanOutcome = "sent" | "failed" | "dropped";

const fastSeconds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** What several processes show of their numbers together. Each process knows a part of a sum, and all of the others. */
type Together = "sum" | "min" | "max";

type Description = {
  name: string;
  help: string;
  labelNames?: string[];
  buckets?: number[];
  /** A sum, unless it is said. */
  aggregator?: Together;
};

/** The metrics: name, help and labels as `/metrics` shows them. */
export const describedMetrics = {
  requests: {
    name: "keyhearth_requests_total",
    help: "HTTP requests answered, by route and status.",
    labelNames: ["route", "status"],
  },
  requestSeconds: {
    name: "keyhearth_request_duration_seconds",
    help: "Time from the headers of a request to its answer, by route.",
    labelNames: ["route"],
    buckets: fastSeconds,
  },
  connections: {
    name: "keyhearth_connections",
    help: "Open connections of clients and proxies.",
  },
  connectionsCut: {
    name: "keyhearth_connections_cut_total",
    help: "Connections that were cut to make room for newer ones, by the bound that was reached: `address` or `total`.",
    labelNames: ["bound"],
  },
  shortages: {
    name: "keyhearth_descriptor_shortages_total",
    help: "How often this process had no file descriptor left, and so accepted no connection.",
  },
  activities: {
    name: "keyhearth_activities_total",
    help: "Activities, by type and resulting status.",
    labelNames: ["type", "status"],
  },
  signerSeconds: {
    name: "keyhearth_signer_call_duration_seconds",
    help: "Time the signer took to answer, by call.",
    labelNames: ["call"],
    buckets: fastSeconds,
  },
  signerFailures: {
    name: "keyhearth_signer_failures_total",
    help: "Calls that the signer did not answer, by call.",
    labelNames: ["call"],
  },
  queueDepth: {
    name: "keyhearth_signer_queue_depth",
    help: "Calls that wait for the signer.",
  },
  signerStarts: {
    name: "keyhearth_signer_starts_total",
    aggregator: "max",
    help: "Starts of the signer, as it counts them in its state. Each ends the counts of attempts at one-time codes.",
  },
  signerStartedAt: {
    name: "keyhearth_signer_started_timestamp_seconds",
    aggregator: "max",
    help: "When the signer last started, in seconds since 1970.",
  },
  signerClockOffset: {
    name: "keyhearth_signer_clock_offset_seconds",
    aggregator: "max",
    help: "How far the signer's clock is ahead of the clock of this process.",
  },
  signerClockJumps: {
    name: "keyhearth_signer_clock_jumps",
    aggregator: "max",
    help: "Jumps of its clock that the signer has believed since it started.",
  },
  signerClockRefused: {
    name: "keyhearth_signer_clock_refused",
    aggregator: "max",
    help: "1 while the signer refuses to work because it does not believe its clock, otherwise 0.",
  },
  signerShortages: {
    name: "keyhearth_signer_descriptor_shortages_total",
    aggregator: "max",
    help: "How often the signer's process had no file descriptor left since it started, and so accepted no connection.",
  },
  commitSize: {
    name: "keyhearth_database_commit_size",
    help: "Requests that shared one commit.",
    buckets: [1, 2, 4, 8, 16, 32, 64],
  },
  commitSeconds: {
    name: "keyhearth_database_commit_duration_seconds",
    help: "Time a commit took.",
    buckets: fastSeconds,
  },
  commitConflicts: {
    name: "keyhearth_database_commit_conflicts_total",
    help: "Requests that were tried again because a record had changed in the meantime.",
  },
  querySeconds: {
    name: "keyhearth_database_query_duration_seconds",
    help: "Time a read took, by its name.",
    labelNames: ["query"],
    buckets: fastSeconds,
  },
  standbyAsked: {
    name: "keyhearth_database_standby_asked",
    aggregator: "min",
    help: "1 while a standby of DATABASE_READ_URL answers queries, 0 while the primary answers all of them.",
  },
  messages: {
    name: "keyhearth_messages_total",
    help: "Attempts to deliver messages, by kind and outcome.",
    labelNames: ["kind", "outcome"],
  },
  messagesWaiting: {
    name: "keyhearth_messages_waiting",
    aggregator: "max",
    help: "Messages in the outbox that were not delivered yet.",
  },
  messagesFailed: {
    name: "keyhearth_messages_failed",
    aggregator: "max",
    help: "Messages of the last 30 days that could not be delivered.",
  },
  ready: {
    name: "keyhearth_ready",
    aggregator: "min",
    help: "1 while the part can work, as `/readyz` says it, otherwise 0. Parts: `database`, `signer`.",
    labelNames: ["part"],
  },
  staleRecords: {
    name: "keyhearth_stale_records_total",
    help: "Records that the signer refused because it has seen newer ones, although the database still holds them: an alarm.",
  },
  webhooksWaiting: {
    name: "keyhearth_webhooks_waiting",
    aggregator: "max",
    help: "Deliveries to webhooks that have not ended, counted up to 10000.",
  },
  diskFree: {
    name: "keyhearth_data_disk_free_bytes",
    aggregator: "min",
    help: "Free space of the disk of the data directory.",
  },
  spans: {
    name: "keyhearth_trace_spans_total",
    help: "Spans of traces, by outcome: `sent`; `failed` if the collector did not take them; `dropped` if too many waited for it. Always there, and 0 while KEYHEARTH_TRACES is off.",
    labelNames: ["outcome"],
  },
  mostStoredBytes: {
    name: "keyhearth_family_stored_bytes_max",
    aggregator: "max",
    help: "What the family stores that stores the most: a top-level organization with its sub-organizations.",
  },
  storedBytes: {
    name: "keyhearth_family_stored_bytes",
    aggregator: "max",
    help: "What each of the 20 families stores that store the most, by the id of the top-level organization. Read once a minute.",
    labelNames: ["organization_id"],
  },
} satisfies Record<string, Description>;

/**
 * `isWithProcess` adds memory, CPU and event loop. It watches garbage collection until the process
 * ends.
 */
export function createMetrics({ isWithProcess = true }: { isWithProcess?: boolean } = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (isWithProcess) collectDefaultMetrics({ register: registry });

  const requests = new Counter({ ...describedMetrics.requests, registers });
  const requestSeconds = new Histogram({ ...describedMetrics.requestSeconds, registers });
  const connections = new Gauge({ ...describedMetrics.connections, registers });
  const connectionsCut = new Counter({ ...describedMetrics.connectionsCut, registers });
  for (const bound of ["address", "total"]) connectionsCut.labels(bound).inc(0);
  const shortages = new Counter({ ...describedMetrics.shortages, registers });
  const activities = new Counter({ ...describedMetrics.activities, registers });
  const signerSeconds = new Histogram({ ...describedMetrics.signerSeconds, registers });
  const signerFailures = new Counter({ ...describedMetrics.signerFailures, registers });
  const queueDepth = new Gauge({ ...describedMetrics.queueDepth, registers });
  const signerStarts = new Counter({ ...describedMetrics.signerStarts, registers });
  const signerStartedAt = new Gauge({ ...describedMetrics.signerStartedAt, registers });
  const signerClockOffset = new Gauge({ ...describedMetrics.signerClockOffset, registers });
  const signerClockJumps = new Gauge({ ...describedMetrics.signerClockJumps, registers });
  const signerClockRefused = new Gauge({ ...describedMetrics.signerClockRefused, registers });
  const signerShortages = new Counter({ ...describedMetrics.signerShortages, registers });
  const commitSize = new Histogram({ ...describedMetrics.commitSize, registers });
  const commitSeconds = new Histogram({ ...describedMetrics.commitSeconds, registers });
  const commitConflicts = new Counter({ ...describedMetrics.commitConflicts, registers });
  const querySeconds = new Histogram({ ...describedMetrics.querySeconds, registers });
  const standbyAsked = new Gauge({ ...describedMetrics.standbyAsked, registers });
  const messages = new Counter({ ...describedMetrics.messages, registers });
  const messagesWaiting = new Gauge({ ...describedMetrics.messagesWaiting, registers });
  const messagesFailed = new Gauge({ ...describedMetrics.messagesFailed, registers });
  const ready = new Gauge({ ...describedMetrics.ready, registers });
  const staleRecords = new Counter({ ...describedMetrics.staleRecords, registers });
  const webhooksWaiting = new Gauge({ ...describedMetrics.webhooksWaiting, registers });
  const diskFree = new Gauge({ ...describedMetrics.diskFree, registers });
  const spans = new Counter({ ...describedMetrics.spans, registers });
  for (const outcome of ["sent", "failed", "dropped"]) spans.labels(outcome).inc(0);
  const mostStoredBytes = new Gauge({ ...describedMetrics.mostStoredBytes, registers });
  const storedBytes = new Gauge({ ...describedMetrics.storedBytes, registers });

  const requestCount = resolveOnce((route, status) => requests.labels(route, status));
  const requestTime = resolveOnce((route) => requestSeconds.labels(route));
  const activityCount = resolveOnce((type, status) => activities.labels(type, status));
  const signerTime = resolveOnce((call) => signerSeconds.labels(call));
  const signerFailureCount = resolveOnce((call) => signerFailures.labels(call));
  const queryTime = resolveOnce((query) => querySeconds.labels(query));

  return {
    request(route, status, seconds) {
      requestCount(route, String(status)).inc();
      requestTime(route).observe(seconds);
    },
    connections: (count) => connections.set(count),
    connectionCut: (bound) => connectionsCut.labels(bound).inc(),
    shortages(count) {
      shortages.reset();
      shortages.inc(count);
    },
    activity: (type, status) => activityCount(type, status).inc(),
    signerCall: (call, seconds) => signerTime(call).observe(seconds),
    signerFailure: (call) => signerFailureCount(call).inc(),
    signerQueueDepth: (depth) => queueDepth.set(depth),
    signerClock(offsetSeconds, jumps) {
      signerClockOffset.set(offsetSeconds);
      signerClockJumps.set(jumps);
    },
    signerClockRefused: (isRefused) => signerClockRefused.set(isRefused ? 1 : 0),
    signerStarted(starts, atSeconds) {
      signerStarts.reset();
      signerStarts.inc(starts);
      signerStartedAt.set(atSeconds);
    },
    signerShortages(count) {
      signerShortages.reset();
      signerShortages.inc(count);
    },
    commit(size, seconds) {
      commitSize.observe(size);
      commitSeconds.observe(seconds);
    },
    commitConflict: () => commitConflicts.inc(),
    query: (name, seconds) => queryTime(name).observe(seconds),
    standbyAsked: (isAsked) => standbyAsked.set(isAsked ? 1 : 0),
    message: (kind, outcome) => messages.labels(kind, outcome).inc(),
    outbox({ waiting, failed }) {
      messagesWaiting.set(waiting);
      messagesFailed.set(failed);
    },
    ready({ database, signer }) {
      ready.labels("database").set(database ? 1 : 0);
      ready.labels("signer").set(signer ? 1 : 0);
    },
    staleRecord: () => staleRecords.inc(),
    webhooksWaiting: (count) => webhooksWaiting.set(count),
    diskFree: (bytes) => diskFree.set(bytes),
    spans: (outcome, count) => spans.labels(outcome).inc(count),
    largestFamilies(families) {
      mostStoredBytes.set(families[0]?.bytes ?? 0);
      // A family that others have overtaken is shown no longer.
      storedBytes.reset();
      for (const { organizationId, bytes } of families) {
        storedBytes.labels(organizationId).set(bytes);
      }
    },
    counted: () => registry.getMetricsAsJSON(),
    async render(others = []) {
      const { contentType } = registry;
      if (others.length === 0) return { contentType, body: await registry.metrics() };
      const all = [await registry.getMetricsAsJSON(), ...others];
      return { contentType, body: await AggregatorRegistry.aggregate(all).metrics() };
    },
  };
}

/** The library hashes labels at each call, so children are kept once they are found. */
function resolveOnce<Child>(resolve: (first: string, second: string) => Child) {
  const children = new Map<string, Map<string, Child>>();
  return (first: string, second = ""): Child => {
    const known = children.get(first)?.get(second);
    if (known) return known;
    const child = resolve(first, second);
    children.set(first, (children.get(first) ?? new Map()).set(second, child));
    return child;
  };
}
