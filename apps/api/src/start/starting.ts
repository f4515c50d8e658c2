import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError, errorDetails, grpcCode } from "@keyhearth/engine/errors";
import { jsonHeaders, preflight } from "../http/answer.ts";

/** Answers while the service is starting, in the forms that its answers have later. */
export function answerStarting({ method, url = "" }: IncomingMessage, response: ServerResponse) {
  const [path] = url.split("?");
  if (path === "/healthz") return send(response, 200, { status: "ok" });
  if (path === "/readyz") {
    return send(response, 503, { status: "not ready", reasons: ["the service is starting"] });
  }
  if (method === "OPTIONS") return void response.writeHead(204, preflight).end();
  send(response, 503, {
    code: grpcCode(starting.code),
    message: starting.message,
    details: errorDetails(starting),
  });
}

const starting = new ApiError(
  "UNAVAILABLE",
  "SERVICE_STARTING",
  "the service is starting; send the same bytes again in a moment",
);

function send(response: ServerResponse, status: 200 | 503, value: unknown) {
  response.writeHead(status, { ...jsonHeaders, ...(status === 503 && { "Retry-After": "1" }) });
  response.end(JSON.stringify(value));
}
