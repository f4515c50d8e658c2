import { randomUUID } from "node:crypto";
import { release } from "@keyhearth/outbound/release";
import { type Attributes, type HrTime, ValueType } from "@opentelemetry/api";
import { ExportResultCode, millisToHrTime } from "@opentelemetry/core";
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from "@opentelemetry/otlp-exporter-base/node-http";
import {
  JsonMetricsSerializer,
  MetricsExporterMetricsHelper,
} from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
} from "@opentelemetry/sdk-metrics";
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from "prom-client";
import type { CollectorSettings } from "../config/telemetry.ts";
import { collectorFailure } from "./collector-failure.ts";

const SEND_TIMEOUT_MS = 5000;

export type Numbers = readonly MetricObjectWithValues<
  MetricValue<string> | MetricValueWithName<string>
>[];

/** Rejects if the collector did not take them, with a reason that can be logged. */
export type SendNumbers = (numbers: Numbers) => Promise<void>;

/**
 * Sends what `/metrics` shows. Each process is an instance of its own to the collector, and its sums are those since it
 * started: OpenTelemetry's metrics, cumulative, as OTLP 1.x has them.
 */
export function createSender({ url, headers }: CollectorSettings): SendNumbers {
  const opened = Object.entries(headers).map(([name, value]) => [name, value.open()]);
  const delegate = createOtlpHttpExportDelegate(
    convertLegacyHttpOptions(
      { url, headers: Object.fromEntries(opened), timeoutMillis: SEND_TIMEOUT_MS },
      "METRICS",
      "v1/metrics",
      { "Content-Type": "application/json" },
    ),
    JsonMetricsSerializer,
    "otlp_http_json_metric_exporter",
    MetricsExporterMetricsHelper,
    undefined,
  );
  const resource = resourceFromAttributes({
    "service.name": "keyhearth",
    "service.version": release,
    "service.instance.id": randomUUID(),
  });
  const scope = { name: "keyhearth", version: release };
  const startTime = millisToHrTime(performance.timeOrigin);
  return (numbers) => {
    const times = { startTime, endTime: millisToHrTime(Date.now()) };
    const metrics = numbers.flatMap((one) => toMetricData(one, times) ?? []);
    return new Promise((resolve, reject) => {
      delegate.export({ resource, scopeMetrics: [{ scope, metrics }] }, ({ code, error }) => {
        if (code === ExportResultCode.SUCCESS) resolve();
        else reject(new Error(collectorFailure(error)));
      });
    });
  };
}

type Times = { startTime: HrTime; endTime: HrTime };

/** Null for what has no number yet, and for kinds that nothing here counts. */
function toMetricData(
  { name, help, type, values }: Numbers[number],
  times: Times,
): MetricData | null {
  const common = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const kind = String(type);
  if (kind === "histogram") {
    const dataPoints = histogramsOf(name, values, times);
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...times, attributes: { ...labels }, value }));
  if (dataPoints.length === 0) return null;
  if (kind === "gauge") return { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
  if (kind !== "counter") return null;
  return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

/** As UCUM writes it. */
function unitOf(name: string): string {
  const [, unit = ""] = /_(seconds|bytes)(?:_total)?$/.exec(name) ?? [];
  return { seconds: "s", bytes: "By" }[unit] ?? "";
}

type Series = { attributes: Attributes; upTo: [number, number][]; sum: number; count: number };

/** A bucket of Prometheus counts all that is at most its bound, one of OpenTelemetry what is in no smaller one. */
function histogramsOf(
  name: string,
  values: Numbers[number]["values"],
  times: Times,
): DataPoint<Histogram>[] {
  const found = new Map<string, Series>();
  for (const { value, labels, ...rest } of values) {
    const { le, ...attributes } = labels;
    const key = JSON.stringify(attributes);
    const series: Series = found.get(key) ?? { attributes, upTo: [], sum: 0, count: 0 };
    found.set(key, series);
    const part = "metricName" in rest ? rest.metricName : undefined;
    if (part === `${name}_sum`) series.sum = value;
    else if (part === `${name}_count`) series.count = value;
    else if (le !== undefined) series.upTo.push([Number(le === "+Inf" ? Infinity : le), value]);
  }
  return [...found.values()].map(({ attributes, upTo, sum, count }) => {
    const ordered = upTo.toSorted(([one], [other]) => one - other);
    const counts = ordered.map(([, all], at) => all - (ordered[at - 1]?.[1] ?? 0));
    const boundaries = ordered.map(([bound]) => bound).filter(Number.isFinite);
    return { ...times, attributes, value: { buckets: { boundaries, counts }, sum, count } };
  });
}
