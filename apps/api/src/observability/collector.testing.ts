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

type Export = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: ReceivedSpan[] }[];
  }[];
};

type Answering = (response: ServerResponse) => void;

const accept: Answering = (response) =>
  void response.writeHead(200, { "content-type": "application/json" }).end("{}");

/** A collector of traces on this machine, which decodes what comes. It can be told to answer otherwise. */
export async function startCollector() {
  const spans: ReceivedSpan[] = [];
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
      if (request.method !== "POST" || request.url !== "/v1/traces") {
        return response.writeHead(404).end();
      }
      for (const each of body.resourceSpans) {
        resource.push(...each.resource.attributes);
        for (const scope of each.scopeSpans) spans.push(...scope.spans);
      }
      state.answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on a port has one.
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
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

export function attributesOf({ attributes }: ReceivedSpan): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );
}
