/**
 * The codes of ApiError, the only error that the service throws on purpose. A single table in the
 * API maps them to HTTP. Anything else that is thrown is a bug.
 */
export type ErrorCode =
  | "INVALID_ARGUMENT"
  | "UNAUTHENTICATED"
  | "PERMISSION_DENIED"
  | "NOT_FOUND"
  | "ALREADY_EXISTS"
  | "RESOURCE_EXHAUSTED"
  | "PAYLOAD_TOO_LARGE"
  | "UNAVAILABLE"
  | "INTERNAL";

/** The stable codes in `details[0].code`, which clients may rely on. */
export const reasons = [
  "BAD_REQUEST_BODY",
  "FIELD_INVALID",
  "FIELD_UNKNOWN",
  "FIELD_UNSUPPORTED",
  "ACTIVITY_TYPE_INVALID",
  "ORGANIZATION_ID_MALFORMED",
  "ORGANIZATION_NOT_FOUND",
  "ORGANIZATION_MISMATCH",
  "TIMESTAMP_OUT_OF_RANGE",
  "STAMP_MISSING",
  "STAMP_MALFORMED",
  "STAMP_INVALID",
  "CREDENTIAL_NOT_FOUND",
  "CREDENTIAL_AMBIGUOUS",
  "CREDENTIAL_EXPIRED",
  "REQUEST_NOT_AUTHORIZED",
  "POLICY_DENIED",
  "NOT_FOUND",
  "ACTIVITY_NOT_FOUND",
  "ACTIVITY_REMOVED",
  "ACTIVITY_NOT_PENDING",
  "ACTIVITY_ALREADY_EXECUTED",
  "NAME_TAKEN",
  "PUBLIC_KEY_TAKEN",
  "OAUTH_PROVIDER_TAKEN",
  "OIDC_TOKEN_INVALID",
  "OAUTH2_CREDENTIAL_NOT_FOUND",
  "OAUTH2_PROVIDER_NOT_CONFIGURED",
  "OAUTH2_EXCHANGE_FAILED",
  "PATH_TAKEN",
  "ALREADY_EXISTS",
  "LIMIT_EXCEEDED",
  "QUORUM_INVALID",
  "USER_WITHOUT_CREDENTIAL",
  "FEATURE_DISABLED",
  "NOT_EXPORTED",
  "SUB_ORGANIZATIONS_EXIST",
  "KEY_TAKEN",
  "IMPORT_NOT_OPEN",
  "BUNDLE_INVALID",
  "OTP_INVALID",
  "MAX_OTP_INITIATED",
  "VERIFICATION_TOKEN_INVALID",
  "CLIENT_SIGNATURE_INVALID",
  "DIGEST_INVALID",
  "POLICY_INVALID",
  "TRANSACTION_INVALID",
  "RATE_LIMITED",
  "BODY_TOO_LARGE",
  "METHOD_NOT_ALLOWED",
  "ROUTE_NOT_FOUND",
  "RECORD_REFUSED",
  "STALE_RECORD",
  "CLOCK_BACKWARDS",
  "CLOCK_JUMPED",
  "SIGNER_UNAVAILABLE",
  "DATABASE_UNAVAILABLE",
  "DISK_FULL",
  "SERVICE_STARTING",
  "CONFLICT",
  "INTERNAL",
] as const;

export type Reason = (typeof reasons)[number];

export type ErrorDetail = { "@type": string; [member: string]: unknown };

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly field: string | undefined;
  readonly details: ErrorDetail[];

  constructor(
    code: ErrorCode,
    reason: Reason,
    message: string,
    options: { field?: string; details?: ErrorDetail[]; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "ApiError";
    this.code = code;
    this.reason = reason;
    this.field = options.field;
    this.details = options.details ?? [];
  }
}

/**
 * The host brought a record that another request replaced a moment ago. Requests run beside each other, so this
 * happens in healthy work: the host reads again. It is an alarm only if the host says that it still reads the same.
 */
export class Overtaken extends ApiError {
  constructor(message: string) {
    super("UNAVAILABLE", "STALE_RECORD", message);
  }
}

export type ErrorMessage = {
  code: ErrorCode;
  reason: Reason;
  message: string;
  field?: string | undefined;
  details: ErrorDetail[];
};

/** The form of an error that crosses the door from core to host: the facts, but never a stack. */
export function toErrorMessage(error: unknown): ErrorMessage {
  if (!(error instanceof ApiError)) {
    return { code: "INTERNAL", reason: "INTERNAL", message: "internal server error", details: [] };
  }
  const { code, reason, message, field, details } = error;
  return { code, reason, message, field, details };
}

export function fromErrorMessage({ code, reason, message, field, details }: ErrorMessage) {
  return new ApiError(code, reason, message, { ...(field ? { field } : {}), details });
}

export function invalid(field: string, message: string, reason: Reason = "FIELD_INVALID") {
  return new ApiError("INVALID_ARGUMENT", reason, message, { field });
}

/** `field` names the object that does not exist. */
export function notFound(field: string, noun: string, id: string) {
  const message = `${noun} not found: \`${shorten(id)}\``;
  return new ApiError("NOT_FOUND", "NOT_FOUND", message, { field });
}

/** Clients look for this text. */
export function userNotFound(field: string, userId: string, organizationId: string) {
  return new ApiError(
    "NOT_FOUND",
    "NOT_FOUND",
    `user not found: unable to find user ${userId} in organization ${organizationId}`,
    { field },
  );
}

export function alreadyExists(reason: Reason, field: string, message: string) {
  return new ApiError("ALREADY_EXISTS", reason, message, { field });
}

/** The detail that names the organization that a request has founded before. */
export const FOUNDED = "keyhearth.dev/FoundedOrganization";

/** These bytes ran before: an activity runs once. */
export function alreadyExecuted(details: ErrorDetail[] = []) {
  return new ApiError(
    "ALREADY_EXISTS",
    "ACTIVITY_ALREADY_EXECUTED",
    "an activity with the same fingerprint already exists",
    { details },
  );
}

export function limitExceeded(field: string, message: string) {
  return new ApiError("RESOURCE_EXHAUSTED", "LIMIT_EXCEEDED", message, { field });
}

/** The request would change an organization that does not exist. Clients look for both texts. */
export function notLoaded(organizationId: string) {
  return invalid(
    "organizationId",
    `failed to load organizations: ${noOrganization(organizationId)}`,
    "ORGANIZATION_NOT_FOUND",
  );
}

export function noOrganization(organizationId: string): string {
  return `no organization found with the given ID: \`${organizationId}\``;
}

export function unauthenticated(reason: Reason, message: string) {
  return new ApiError("UNAUTHENTICATED", reason, message);
}

/** Why most stamps do not verify: programs and proxies that write JSON again. */
export const BODY_CHANGED =
  "the body may have been changed or serialized again after it was stamped; send exactly the bytes that were stamped";

/** The core does not trust a record from the host. Never a client's mistake. */
export function recordRefused(message: string) {
  return new ApiError("INTERNAL", "RECORD_REFUSED", message);
}

/** A client's value for a message: shortened, because a client may send a megabyte. */
export function shorten(value: string, length = 80): string {
  return visible(value.length <= length ? value : `${value.slice(0, length)}…`, invisible);
}

/** Shows the characters of a text that would change how the text around them reads. */
export function visible(text: string, characters = invisibleInLines): string {
  const shown = (found: string) => `\\u{${found.codePointAt(0)?.toString(16)}}`;
  return text.toWellFormed().replace(characters, shown);
}

const invisible = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const invisibleInLines = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** The most problems that one answer lists. */
const MAX_PROBLEMS = 20;

/** Runs every step, and refuses at the end everything that is wrong with the client's fields. */
export function checkAll(...steps: (() => void)[]) {
  const errors: ApiError[] = [];
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      if (!(error instanceof ApiError) || error.field === undefined) throw error;
      errors.push(error);
      if (errors.length === MAX_PROBLEMS) break;
    }
  }
  if (errors.length > 0) throw combine(errors);
}

/** Checks every element, and refuses at the end all that are wrong. */
export function checkEach<T>(elements: readonly T[], check: (element: T, index: number) => void) {
  checkAll(...elements.map((element, index) => () => check(element, index)));
}

/** One error for several. The first gives it the code and the status. */
export function combine(errors: readonly ApiError[]): ApiError {
  const [first, ...others] = errors;
  if (!first) throw new Error("no errors to combine");
  if (others.length === 0) return first;
  const { code, reason, field } = first;
  const details = errors.flatMap((error) => errorDetails(error, error.message));
  return new ApiError(code, reason, errors.map(({ message }) => message).join("; "), {
    ...(field ? { field } : {}),
    details: details.slice(0, MAX_PROBLEMS),
  });
}

/** The number of the code in `google.rpc.Code`, as error bodies and failures contain it. */
export function grpcCode(code: ErrorCode): number {
  switch (code) {
    case "INVALID_ARGUMENT":
    case "PAYLOAD_TOO_LARGE":
      return 3;
    case "NOT_FOUND":
      return 5;
    case "ALREADY_EXISTS":
      return 6;
    case "PERMISSION_DENIED":
      return 7;
    case "RESOURCE_EXHAUSTED":
      return 8;
    case "INTERNAL":
      return 13;
    case "UNAVAILABLE":
      return 14;
    case "UNAUTHENTICATED":
      return 16;
  }
}

const DETAIL = "keyhearth.dev/ErrorDetail";

/**
 * The `details` list of an error: the facts for programs, then the details given by the thrower. An
 * error about several fields has an entry for each, with its part of the message.
 */
export function errorDetails(
  { reason, field, details }: ApiError,
  message?: string,
): ErrorDetail[] {
  if (details.some((detail) => detail["@type"] === DETAIL)) return details;
  return [
    {
      "@type": DETAIL,
      code: reason,
      ...(field ? { field } : {}),
      ...(message ? { message } : {}),
      docs: `/developer-reference/api-overview/errors#${reason.toLowerCase().replaceAll("_", "-")}`,
    },
    ...details,
  ];
}
