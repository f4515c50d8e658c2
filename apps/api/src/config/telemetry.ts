import { type Secret, secret } from "@keyhearth/crypto/secret";
import { type Environment, given, refused, refusedSecret } from "./variables.ts";

/** Where a collector takes one kind of data. */
export type CollectorSettings = {
  /** With the path. */
  url: string;
  headers: Readonly<Record<string, Secret>>;
};

/** Where traces are sent, and how many. */
export type TracesSettings = CollectorSettings & {
  /** Which part of the traces is sent: above 0, at most 1. */
  share: number;
};

/** Where the numbers of `/metrics` are sent, and how often. */
export type MetricsPushSettings = CollectorSettings & { everyMs: number };

const ENDPOINT = "http://localhost:4318";

/**
 * A switch of our own, because platforms set the variables of OpenTelemetry for all programs of a machine, and what is
 * sent is for the operator to decide (decision 32).
 */
export function readTraces(env: Environment): TracesSettings | null {
  const name = "KEYHEARTH_TRACES";
  const value = given(env, name) ?? "off";
  // Checked even where they have no effect, so that a mistake is found before the switch is turned on.
  const to = readCollector(env, "traces");
  if (value === "off") return null;
  const share = /^(0\.\d{1,6}|1(\.0)?)$/.test(value) ? Number(value) : 0;
  if (share === 0) throw refused(name, value);
  return { share, ...to };
}

/** A switch of our own, as for traces. Below five seconds, the numbers would cost more than they say. */
export function readMetricsPush(env: Environment): MetricsPushSettings | null {
  const name = "KEYHEARTH_METRICS_PUSH";
  const value = given(env, name) ?? "off";
  if (value === "off") return null;
  const seconds = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (seconds < 5 || seconds > 3600) throw refused(name, value);
  return { everyMs: seconds * 1000, ...readCollector(env, "metrics") };
}

function readCollector(env: Environment, kind: "traces" | "metrics"): CollectorSettings {
  return { url: `${readEndpoint(env)}/v1/${kind}`, headers: readHeaders(env) };
}

function readEndpoint(env: Environment): string {
  const name = "OTEL_EXPORTER_OTLP_ENDPOINT";
  const value = given(env, name) ?? ENDPOINT;
  const url = URL.parse(value);
  if (url?.username || url?.password) throw refusedSecret(name);
  const isPlain = url && !/[?#]/.test(value);
  if (!isPlain || !["http:", "https:"].includes(url.protocol)) throw refused(name, value);
  return url.href.replace(/\/+$/, "");
}

/** `name=value` with escapes as in URLs, separated by commas. */
function readHeaders(env: Environment): CollectorSettings["headers"] {
  const name = "OTEL_EXPORTER_OTLP_HEADERS";
  const pairs = given(env, name)?.split(",") ?? [];
  const headers: Record<string, Secret> = {};
  for (const pair of pairs) {
    const [, header, text = ""] = /^\s*([\w-]{1,100})\s*=\s*(\S{1,4096})\s*$/.exec(pair) ?? [];
    const value = unescaped(text);
    if (header === undefined || !/^[\x20-\x7e]+$/.test(value)) throw refusedSecret(name);
    headers[header.toLowerCase()] = secret(value);
  }
  return headers;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
