import type { ServerResponse } from "node:http";
import { type ApiError, errorDetails, grpcCode } from "@keyhearth/engine/errors";
import { jsonHeaders } from "./answer.ts";

/** Gives an error that ends the connection, before the app has looked at the request. */
export function lastAnswer(status: number, error: ApiError): (response: ServerResponse) => void {
  const { body, headers } = lastWords(error);
  return (response) => void response.writeHead(status, headers).end(body);
}

export function lastWords(error: ApiError) {
  const { code, message } = error;
  const body = JSON.stringify({ code: grpcCode(code), message, details: errorDetails(error) });
  return { body, headers: { ...jsonHeaders, Connection: "close" } };
}
