import { calls, publicKeyCall } from "../proxy/calls.ts";
import { commonErrors, type Described } from "../proxy/define.ts";
import type { Operation, Schema } from "./openapi-document.ts";
import { sampleOf } from "./openapi-examples.ts";
import { operationId, reference } from "./openapi-names.ts";
import { json } from "./openapi-operations.ts";

/** The calls of the login proxy, which carry no stamp: they name an organization in a header. */
export const proxyCalls: readonly Described[] = [...calls, publicKeyCall];

export const PROXY_TAG = "Login Proxy";

export const pathOfProxyCall = (name: string) => `/proxy/v1/${name}`;

/** The names under which the schemas of a call are converted. */
export const bodyOf = ({ name }: Described) => `${name} body`;
export const answerOf = ({ name }: Described) => `${name} answer`;

const configuration = {
  name: "X-Auth-Proxy-Config-ID",
  in: "header",
  required: true,
  description: "Id of the organization whose login proxy is called.",
  schema: { type: "string", format: "uuid" },
} as const;

const captcha = {
  name: "X-Captcha-Token",
  in: "header",
  required: false,
  description:
    "Token of a solved captcha, if the organization asks for one. A sign-up with a `verificationToken` needs none.",
  schema: { type: "string" },
} as const;

/** A call of the proxy, as an operation of the contract. Its schemas are of this operation alone. */
export function proxyOperation(
  call: Described & { needsCaptcha?(body: unknown): boolean },
  inline: Record<string, Schema>,
  schemas: Record<string, Schema>,
): Operation {
  const body = inline[bodyOf(call)] ?? {};
  const answer = inline[answerOf(call)] ?? {};
  const needsCaptcha = call.needsCaptcha?.({}) ?? false;
  return {
    operationId: operationId(`proxy_${call.name}`),
    tags: [PROXY_TAG],
    summary: call.summary,
    description: call.description,
    security: [],
    parameters: [configuration, ...(needsCaptcha ? [captcha] : [])],
    requestBody: { required: true, content: json(body, call.example) },
    responses: {
      "200": { description: "The answer.", content: json(answer, sampleOf(answer, schemas)) },
      default: { description: "The request was refused.", content: json(reference("Error")) },
    },
    "x-errors": [...new Set([...commonErrors, ...call.errors])],
  };
}
