import { decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import type { Core } from "../core/core.ts";
import type { ActivityDeclaration, Version } from "../declare/define.ts";
import { ApiError, checkAll, invalid, shorten } from "../errors.ts";
import { describe, isObject, parseFields } from "../fields/parse.ts";
import { isUuid } from "../fields/schemas.ts";
import { MAX_AGE_MS } from "../records/limits.ts";

/** The envelope of a submission. Unknown members are ignored. */
export type Envelope = {
  type: string;
  timestampMs: number;
  organizationId: string;
  parameters: Record<string, unknown>;
  generateAppProofs: boolean;
};

export const MAX_AHEAD_MS = 5 * 60 * 1000;

/** The text of a body. No two bodies have the same one. */
export function textOf(body: Uint8Array): string {
  try {
    return decodeUtf8(body);
  } catch (cause) {
    const message = "bad request body: it is not valid UTF-8";
    throw new ApiError("INVALID_ARGUMENT", "BAD_REQUEST_BODY", message, { cause });
  }
}

/** Parses the envelope of a new request. Refuses all that is wrong with it at once. */
export function parseEnvelope(body: string): Envelope {
  return envelopeOf(parseObject(body));
}

/**
 * Parses a new request to an endpoint: its envelope and its intent. Refuses all that is wrong with
 * both at once.
 */
export function parseSubmission(
  declaration: ActivityDeclaration,
  body: string,
): { envelope: Envelope; intent: unknown } {
  const value = parseObject(body);
  const { type, parameters } = value;
  let intent: unknown;
  checkAll(
    () => assertEnvelope(value),
    () => {
      if (typeof type !== "string" || type === "" || !isObject(parameters)) return;
      intent = parseIntent(declaration, { type, parameters });
    },
  );
  return { envelope: envelopeOf(value), intent };
}

/** Parses the envelope of a request that was accepted before, maybe by rules that were less strict. */
export function parseAccepted(body: string): Envelope {
  const { generateAppProofs, ...value } = parseObject(body);
  return envelopeOf(value);
}

function envelopeOf(value: Record<string, unknown>): Envelope {
  assertEnvelope(value);
  const { type, timestampMs, organizationId, parameters, generateAppProofs } = value;
  return {
    type,
    timestampMs: Number(timestampMs),
    organizationId,
    parameters,
    generateAppProofs: generateAppProofs === true,
  };
}

type GivenEnvelope = {
  type: string;
  timestampMs: string;
  organizationId: string;
  parameters: Record<string, unknown>;
  generateAppProofs?: unknown;
};

function assertEnvelope(value: Record<string, unknown>): asserts value is GivenEnvelope {
  const { type, timestampMs, organizationId, parameters, generateAppProofs } = value;
  checkAll(
    () => assertOrganizationId(organizationId),
    () => {
      if (typeof type === "string" && type !== "") return;
      throw badBody(
        "type",
        "missing field `type`: the activity type, such as ACTIVITY_TYPE_CREATE_WALLET",
      );
    },
    () => {
      if (typeof timestampMs === "string" && /^\d{1,16}$/.test(timestampMs)) return;
      throw badBody(
        "timestampMs",
        `\`timestampMs\` must be a string of decimal milliseconds, got ${describe(timestampMs)}`,
      );
    },
    () => {
      if (isObject(parameters)) return;
      const given = describe(parameters);
      throw badBody("parameters", `\`parameters\` must be an object, got ${given}`);
    },
    () => {
      if ([undefined, null, true, false].some((each) => each === generateAppProofs)) return;
      const given = describe(generateAppProofs);
      throw badBody(
        "generateAppProofs",
        `\`generateAppProofs\` must be true or false, got ${given}`,
      );
    },
  );
}

/** Parses the body of a query or submission as an object. Refuses duplicate members. */
export function parseObject(body: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseStrictJson(body);
  } catch (cause) {
    const message = "bad request body: it is not JSON that every parser reads the same way";
    throw new ApiError("INVALID_ARGUMENT", "BAD_REQUEST_BODY", message, { cause });
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

/**
 * Refuses a request that is too old or from the future, by the signer's clock, and one that may have run at a time
 * that was taken back: no document remembers it.
 */
export function assertLive({ timestampMs }: Envelope, { time }: Pick<Core, "time">, nowMs: number) {
  if (nowMs - timestampMs < MAX_AGE_MS && timestampMs - nowMs <= MAX_AHEAD_MS) {
    if (time.isSpent(timestampMs)) throw spent();
    return time.use(timestampMs);
  }
  const unit = otherUnits.find(({ ms }) => Math.abs(timestampMs * ms - nowMs) < DAY_MS);
  if (unit) {
    const inMs = Math.floor(timestampMs * unit.ms);
    throw outOfRange(
      `\`timestampMs\` is \`${timestampMs}\`, which is a time in ${unit.name}: send it in milliseconds, such as \`${inMs}\``,
    );
  }
  const seconds = Math.round((timestampMs - nowMs) / 1000);
  const where = seconds < 0 ? `${-seconds} s old` : `${seconds} s in the future`;
  throw outOfRange(
    `\`timestampMs\` is ${where}: it must be less than one hour old and at most five minutes ahead; check this machine's clock and stamp the request again`,
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** What clocks of other languages give. Nanoseconds have too many digits to be parsed at all. */
const otherUnits = [
  { name: "seconds", ms: 1000 },
  { name: "microseconds", ms: 0.001 },
];

function spent(): ApiError {
  return outOfRange(
    "`timestampMs` is a time at which the signer had worked before its clock was set back, so the request may have run already: stamp it again, in a few minutes if that is refused too",
  );
}

function outOfRange(message: string): ApiError {
  return invalid("timestampMs", message, "TIMESTAMP_OUT_OF_RANGE");
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

/**
 * The type that a request has by its parameters. Policies see this one, so that a DENY about a type
 * holds for everything that is read as that type.
 */
export function typeReadAs(
  { versions }: ActivityDeclaration,
  { type, parameters }: Pick<Envelope, "type" | "parameters">,
): string {
  const version = Object.hasOwn(versions, type) ? versions[type] : undefined;
  return version?.readsAs?.(parameters) ?? type;
}

/**
 * Members that released clients put among the parameters, although they belong beside them or nowhere. They mean
 * nothing there, and any other unknown member is refused.
 */
const MEANINGLESS = new Map([
  // The server SDKs have it among the inputs of every call, and move only the id and the time out of them.
  ["generateAppProofs", (value: unknown) => typeof value === "boolean"],
]);

/** Parses parameters by the schema of their version. An explicit null means unset. */
export function parseParameters(
  version: Version,
  parameters: Record<string, unknown>,
  at = "parameters",
): unknown {
  return parseFields(version.intent, withoutMeaningless(parameters), at);
}

function withoutMeaningless(parameters: Record<string, unknown>): Record<string, unknown> {
  const names = [...MEANINGLESS.keys()].filter((name) => Object.hasOwn(parameters, name));
  if (names.length === 0) return parameters;
  const kept = { ...parameters };
  for (const name of names) {
    if (MEANINGLESS.get(name)?.(kept[name])) delete kept[name];
  }
  return kept;
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
  const readAs = typeReadAs(declaration, { type, parameters });
  const intent = parseParameters(versionOf(declaration, readAs), parameters, at);
  const upgrade = declaration.upgrade?.[readAs] as ((intent: unknown) => unknown) | undefined;
  return upgrade ? upgrade(intent) : intent;
}

function badBody(field: string, message: string): ApiError {
  return new ApiError("INVALID_ARGUMENT", "BAD_REQUEST_BODY", `bad request body: ${message}`, {
    ...(field ? { field } : {}),
  });
}
