import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number };
type Attribute = { key: string; value: Value };

/** A span as OTLP has it in JSON. */
export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Attribute[];
  events?: unknown[];
  status: { code?: number; message?: string };
};

type NumberPoint = { attributes: Attribute[]; startTimeUnixNano: string; asDouble?: number };
type HistogramPoint = Omit<NumberPoint, "asDouble"> & {
  count: number;
  sum: number;
  explicitBounds: number[];
  bucketCounts: number[];
};

/** A metric as OTLP has it in JSON. */
export type ReceivedMetric = {
  name: string;
  description: string;
  unit: string;
  sum?: { dataPoints: NumberPoint[]; aggregationTemporality: number; isMonotonic: boolean };
  gauge?: { dataPoints: NumberPoint[] };
  histogram?: { dataPoints: HistogramPoint[]; aggregationTemporality: number };
};

type Of = { resource: { attributes: Attribute[] } };

/** What is posted to one of the collector's paths. */
type Export = {
  resourceSpans?: (Of & { scopeSpans: { spans: ReceivedSpan[] }[] })[];
  resourceMetrics?: (Of & { scopeMetrics: { metrics: ReceivedMetric[] }[] })[];
};

type Answering = (response: ServerResponse) => void;

const accept: Answering = (response) =>
  void response.writeHead(200, { "content-type": "application/json" }).end("{}");

/** A collector on this machine, which decodes what comes. It can be told to answer otherwise. */
export async function startCollector() {
  const spans: ReceivedSpan[] = [];
  /** The numbers of each time that they came. */
  const metrics: ReceivedMetric[][] = [];
  const resource: Attribute[] = [];
  const headers: Record<string, unknown>[] = [];
  const state = { answer: accept, requests: 0 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      state.requests += 1;
      headers.push(request.headers);
      const body: Export = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const kind = request.url === "/v1/traces" ? "resourceSpans" : "resourceMetrics";
      const isKnown = kind === "resourceSpans" || request.url === "/v1/metrics";
      if (request.method !== "POST" || !isKnown || Object.keys(body).join() !== kind) {
        return response.writeHead(404).end();
      }
      for (const each of body.resourceSpans ?? []) {
        resource.push(...each.resource.attributes);
        for (const scope of each.scopeSpans) spans.push(...scope.spans);
      }
      for (const each of body.resourceMetrics ?? []) {
        resource.push(...each.resource.attributes);
        metrics.push(each.scopeMetrics.flatMap((scope) => scope.metrics));
      }
      state.answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on a port has one.
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    metrics,
    resource,
    headers,
    state,
    accept() {
      state.answer = accept;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function attributesOf({
  attributes,
}: {
  attributes: Attribute[];
}): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );
}
