import { parseStrictJson } from "@keyhearth/crypto/json";
import type * as z from "zod";
import { ApiError, invalid, shorten } from "../errors.ts";
import { isUuid } from "../fields.ts";
import type { ActivityDeclaration, Version } from "./define.ts";

/** The envelope of a submission. Unknown members are ignored. */
export type Envelope = {
  type: string;
  timestampMs: number;
  organizationId: string;
  parameters: Record<string, unknown>;
  generateAppProofs: boolean;
};

export const MAX_AGE_MS = 60 * 60 * 1000;
export const MAX_AHEAD_MS = 5 * 60 * 1000;

export function parseEnvelope(body: string): Envelope {
  const value = parseObject(body);
  const { type, timestampMs, organizationId, parameters, generateAppProofs } = value;
  assertOrganizationId(organizationId);
  if (typeof type !== "string" || type === "") {
    throw badBody(
      "type",
      "missing field `type`: the activity type, such as ACTIVITY_TYPE_CREATE_WALLET",
    );
  }
  if (typeof timestampMs !== "string" || !/^\d{1,16}$/.test(timestampMs)) {
    throw badBody(
      "timestampMs",
      `\`timestampMs\` must be a string of decimal milliseconds, got ${describe(timestampMs)}`,
    );
  }
  if (!isObject(parameters)) {
    throw badBody("parameters", `\`parameters\` must be an object, got ${describe(parameters)}`);
  }
  return {
    type,
    timestampMs: Number(timestampMs),
    organizationId,
    parameters,
    generateAppProofs: generateAppProofs === true,
  };
}

/** Parses the body of a query or submission as an object. Refuses duplicate members. */
export function parseObject(body: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseStrictJson(body);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "not JSON";
    throw new ApiError("INVALID_ARGUMENT", "BAD_REQUEST_BODY", `bad request body: ${why}`, {
      cause,
    });
  }
  if (!isObject(value)) throw badBody("", `expected a JSON object, got ${describe(value)}`);
  return value;
}

export function assertOrganizationId(value: unknown): asserts value is string {
  if (typeof value === "string" && isUuid(value)) return;
  throw invalid(
    "organizationId",
    `malformed organization ID provided: \`organizationId\` must be a UUID in lower case, got ${describe(value)}`,
    "ORGANIZATION_ID_MALFORMED",
  );
}

/** Refuses a request that is too old or from the future, by the signer's clock. */
export function assertLive({ timestampMs }: Envelope, nowMs: number) {
  if (nowMs - timestampMs < MAX_AGE_MS && timestampMs - nowMs <= MAX_AHEAD_MS) return;
  const seconds = Math.round((timestampMs - nowMs) / 1000);
  const where = seconds < 0 ? `${-seconds} s old` : `${seconds} s in the future`;
  throw invalid(
    "timestampMs",
    `\`timestampMs\` is ${where}: it must be less than one hour old and at most five minutes ahead; check this machine's clock and stamp the request again`,
    "TIMESTAMP_OUT_OF_RANGE",
  );
}

export function versionOf(declaration: ActivityDeclaration, type: string): Version {
  // The client chooses the type, and `constructor` is a member of every object but not a version.
  const version = Object.hasOwn(declaration.versions, type) && declaration.versions[type];
  if (version) return version;
  throw invalid(
    "type",
    `\`type\` is \`${shorten(type)}\`, which is not an activity of /public/v1/submit/${declaration.name}; it accepts ${Object.keys(declaration.versions).join(", ")}`,
    "ACTIVITY_TYPE_INVALID",
  );
}

/** Parses parameters by the schema of their version. An explicit null means unset. */
export function parseParameters(
  version: Version,
  parameters: Record<string, unknown>,
  at = "parameters",
): unknown {
  return parseFields(version.intent, parameters, at);
}

/**
 * Parses the intent of a request and converts it to the declaration's default version. `at` is the
 * path of the parameters in messages.
 */
export function parseIntent(
  declaration: ActivityDeclaration,
  { type, parameters }: Pick<Envelope, "type" | "parameters">,
  at = "parameters",
): unknown {
  const intent = parseParameters(versionOf(declaration, type), parameters, at);
  const upgrade = declaration.upgrade?.[type] as ((intent: unknown) => unknown) | undefined;
  return upgrade ? upgrade(intent) : intent;
}

export function parseFields<T extends z.ZodType>(
  schema: T,
  value: Record<string, unknown>,
  prefix: string,
): z.output<T> {
  const outcome = schema.safeParse(withoutNulls(value));
  if (outcome.success) return outcome.data;
  const issue = outcome.error.issues[0];
  if (!issue) throw new Error("a failed parse without an issue");
  throw fieldError(issue, value, prefix);
}

function fieldError(issue: z.core.$ZodIssue, value: unknown, prefix: string): ApiError {
  const path = issue.path.filter((key) => typeof key !== "symbol");
  const field = path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text ? `${text}.${key}` : key),
    prefix,
  );
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.map((key) => `\`${shorten(key)}\``).join(", ");
    const plural = issue.keys.length > 1 ? "unknown fields" : "unknown field";
    const at = field ? ` in \`${field}\`` : "";
    const first = [field, issue.keys[0]].filter(Boolean).join(".");
    return invalid(first, `invalid request body: ${plural} ${names}${at}`, "FIELD_UNKNOWN");
  }
  const given = valueAt(value, path);
  if (given === undefined || given === null) {
    if (issue.code === "custom") return invalid(field, `\`${field}\`: ${issue.message}`);
    return invalid(field, `invalid request body: missing field \`${field}\``);
  }
  const accepted =
    issue.code === "invalid_value" ? `; accepted: ${issue.values.map(String).join(", ")}` : "";
  const reason = isUnsupported(issue) ? "FIELD_UNSUPPORTED" : "FIELD_INVALID";
  return invalid(field, `${issue.message}: \`${field}\` is ${describe(given)}${accepted}`, reason);
}

/** The issue is about a list that must be empty, or a field that is marked as unsupported. */
function isUnsupported(issue: z.core.$ZodIssue): boolean {
  if (issue.code === "too_big") return issue.maximum === 0;
  return issue.code === "custom" && issue.params?.reason === "FIELD_UNSUPPORTED";
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}

/** Describes the given value, shortened for a message. */
function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  return `\`${shorten(String(value), 64)}\``;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const key in value) {
    if (value[key] !== null) kept[key] = withoutNulls(value[key]);
  }
  return kept;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function badBody(field: string, message: string): ApiError {
  return new ApiError("INVALID_ARGUMENT", "BAD_REQUEST_BODY", `bad request body: ${message}`, {
    ...(field ? { field } : {}),
  });
}
