import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "@keyhearth/engine/errors";
import { cut } from "./cut.ts";
import { lastAnswer } from "./last-answer.ts";

const unknown = new ApiError(
  "INVALID_ARGUMENT",
  "FIELD_UNSUPPORTED",
  "the service has no expectation but 100-continue; send the request without the Expect header",
  { field: "Expect" },
);

/**
 * Refuses requests with an Expect header that nobody knows, which Node.js gives to no other listener. So no other bound
 * counts them, and a connection gets one such answer, its last.
 */
export function refuseExpectations(): RequestListener {
  const refused = new WeakSet<Socket>();
  const refuse = lastAnswer(417, unknown);
  return ({ socket }, response) => {
    // Node.js goes on with what it has parsed of a connection.
    if (refused.has(socket)) return void cut(socket);
    refused.add(socket);
    refuse(response);
  };
}
