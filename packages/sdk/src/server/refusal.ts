/** An answer of the proxy itself, in the shape of the service's errors. */
export type ProxyAnswer = {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
};

/** Codes that only a proxy gives. All others are those of the service. */
export type ProxyErrorCode =
  | "PROXY_BODY_CONSUMED"
  | "PROXY_BODY_TIMEOUT"
  | "PROXY_ANSWER_INVALID"
  | "PROXY_SERVICE_TIMEOUT"
  | "PROXY_SERVICE_UNREACHABLE";

type ServiceErrorCode =
  | "BAD_REQUEST_BODY"
  | "BODY_TOO_LARGE"
  | "METHOD_NOT_ALLOWED"
  | "ROUTE_NOT_FOUND"
  | "STAMP_MISSING";

/** Why the proxy did not forward a request, or has no answer of the service. */
export class ProxyRefusal extends Error {
  readonly answer: ProxyAnswer;

  constructor(code: ProxyErrorCode | ServiceErrorCode, message: string) {
    super(message);
    const [status, grpcCode] = statuses[code];
    const details = [{ "@type": "keyhearth.dev/ErrorDetail", code }];
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
  BAD_REQUEST_BODY: [400, 3],
  BODY_TOO_LARGE: [413, 3],
  METHOD_NOT_ALLOWED: [405, 3],
  ROUTE_NOT_FOUND: [404, 5],
  STAMP_MISSING: [401, 16],
  PROXY_BODY_CONSUMED: [500, 13],
  PROXY_BODY_TIMEOUT: [408, 4],
  PROXY_ANSWER_INVALID: [502, 14],
  PROXY_SERVICE_TIMEOUT: [504, 4],
  PROXY_SERVICE_UNREACHABLE: [502, 14],
};
