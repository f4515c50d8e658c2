/** An answer of the proxy itself, in the shape of the service's errors. */
export type ProxyAnswer = {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
};

/** Codes that only a proxy gives. All others are those of the service. */
export type ProxyErrorCode =
  | "LOGIN_HANDLER_FAILED"
  | "PROXY_BODY_CONSUMED"
  | "PROXY_BODY_TIMEOUT"
  | "PROXY_ANSWER_INVALID"
  | "PROXY_SERVICE_TIMEOUT"
  | "PROXY_SERVICE_UNREACHABLE";

type ServiceErrorCode =
  | "ALREADY_EXISTS"
  | "BAD_REQUEST_BODY"
  | "BODY_TOO_LARGE"
  | "FEATURE_DISABLED"
  | "FIELD_INVALID"
  | "METHOD_NOT_ALLOWED"
  | "OIDC_TOKEN_INVALID"
  | "RATE_LIMITED"
  | "REQUEST_NOT_AUTHORIZED"
  | "ROUTE_NOT_FOUND"
  | "STAMP_MISSING"
  | "VERIFICATION_TOKEN_INVALID";

/** Why a proxy or a handler of logins did not do what a request asks, or has no answer of the service. */
export class ProxyRefusal extends Error {
  readonly answer: ProxyAnswer;

  constructor(code: ProxyErrorCode | ServiceErrorCode, message: string, field?: string) {
    super(message);
    const [status, grpcCode] = statuses[code];
    const named = field === undefined ? {} : { field };
    const details = [{ "@type": "keyhearth.dev/ErrorDetail", code, ...named }];
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    if (code === "METHOD_NOT_ALLOWED") headers.Allow = "POST";
    // The same bytes are the same activity, so the SDK may send them again.
    if (code === "PROXY_SERVICE_UNREACHABLE") headers["Retry-After"] = "1";
    const body = new TextEncoder().encode(JSON.stringify({ code: grpcCode, message, details }));
    this.answer = { status, headers, body };
  }
}

/** The HTTP status and the gRPC status number of each code. */
const statuses: Record<ProxyErrorCode | ServiceErrorCode, [number, number]> = {
  ALREADY_EXISTS: [409, 6],
  BAD_REQUEST_BODY: [400, 3],
  BODY_TOO_LARGE: [413, 3],
  FEATURE_DISABLED: [403, 7],
  FIELD_INVALID: [400, 3],
  METHOD_NOT_ALLOWED: [405, 3],
  OIDC_TOKEN_INVALID: [400, 3],
  RATE_LIMITED: [429, 8],
  REQUEST_NOT_AUTHORIZED: [403, 7],
  ROUTE_NOT_FOUND: [404, 5],
  STAMP_MISSING: [401, 16],
  VERIFICATION_TOKEN_INVALID: [400, 3],
  LOGIN_HANDLER_FAILED: [500, 13],
  PROXY_BODY_CONSUMED: [500, 13],
  PROXY_BODY_TIMEOUT: [408, 4],
  PROXY_ANSWER_INVALID: [502, 14],
  PROXY_SERVICE_TIMEOUT: [504, 4],
  PROXY_SERVICE_UNREACHABLE: [502, 14],
};
