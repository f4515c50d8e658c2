import { type ActivityDeclaration, maySend } from "@keyhearth/engine/declare/define";
import type { QueryDeclaration } from "../query/define.ts";
import { schemaName } from "../wire/objects.ts";
import type { Content, Operation, Schema, Senders } from "./openapi-document.ts";
import { exampleAnswer, exampleRequest, sampleOf } from "./openapi-examples.ts";
import { operationId, reference, requestNameOf } from "./openapi-names.ts";
import { stampedOrAttested, stampedOrInSession } from "./openapi-security.ts";

/** A query, as an operation of the contract. */
export function queryOperation(
  { name, tag, summary, description, requestName, responseName, example }: QueryDeclaration,
  schemas: Record<string, Schema>,
): Operation {
  return {
    operationId: operationId(name),
    tags: [tag],
    summary,
    description,
    security: stampedOrInSession,
    requestBody: { required: true, content: json(reference(requestName), example) },
    responses: {
      "200": {
        description: "The answer.",
        content: json(reference(responseName), sampleOf(reference(responseName), schemas)),
      },
      default: errorResponse(),
    },
  };
}

/** An activity, as an operation of the contract. */
export function submitOperation(
  activity: ActivityDeclaration,
  schemas: Record<string, Schema>,
): Operation {
  const { name, tag, summary, description, policy, defaultType, versions } = activity;
  return {
    operationId: operationId(name),
    tags: [tag],
    summary,
    description,
    ...(maySend("attested key", activity) ? { security: stampedOrAttested } : {}),
    requestBody: {
      required: true,
      content: json(reference(requestNameOf(activity)), exampleRequest(activity)),
    },
    responses: {
      "200": {
        description: "The activity, completed or waiting for consensus.",
        content: json(reference("ActivityResponse"), exampleAnswer(activity, schemas)),
      },
      default: errorResponse(),
    },
    "x-policy": policy,
    "x-senders": describeSenders(activity),
    "x-activity": {
      defaultType,
      versions: Object.entries(versions).map(([type, { intentKey, resultKey }]) => ({
        type,
        intentKey,
        resultKey,
        parameters: reference(schemaName(intentKey)),
        ...(resultKey === "*" ? {} : { result: reference(schemaName(resultKey)) }),
      })),
    },
  };
}

function describeSenders(activity: ActivityDeclaration): Senders {
  const { sentBy = ["user"], rootQuorumOnly = false, isOwn } = activity;
  return {
    by: sentBy,
    own: isOwn !== undefined,
    rootQuorumOnly: ruleOf(rootQuorumOnly),
  };
}

function ruleOf(rootQuorumOnly: NonNullable<ActivityDeclaration["rootQuorumOnly"]>) {
  if (typeof rootQuorumOnly !== "boolean") return "sometimes";
  return rootQuorumOnly ? "always" : "never";
}

function errorResponse() {
  return { description: "The request was refused.", content: json(reference("Error")) };
}

export function json(schema: Schema, example?: unknown): Content {
  return { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
}
