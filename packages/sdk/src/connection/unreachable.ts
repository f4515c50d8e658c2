import { Unavailable } from "../errors/errors.ts";

// What to say if nobody answered. Loaded when it happens, so that pages stay small. These errors have no page: the
// site that explains them is that of the service, which is not there.

/** The error for a request that did not reach a service, with the reason as far as the runtime tells it. */
export function unreachable(baseUrl: string, cause: unknown): Unavailable {
  return new Unavailable(`Could not reach ${baseUrl}${reasonOf(baseUrl, codesOf(cause))}`, {
    code: "NETWORK",
    cause,
  });
}

/** The error for a request whose answer took too long. */
export function tooSlow(baseUrl: string, timeoutMs: number, cause: unknown): Unavailable {
  return new Unavailable(
    `${baseUrl} did not answer within ${timeoutMs} ms. Try again, or set a longer timeoutMs; a submission that is sent again with the same timestampMs is executed once`,
    { code: "TIMEOUT", cause },
  );
}

function reasonOf(baseUrl: string, codes: readonly string[]): string {
  const { protocol, hostname } = new URL(baseUrl);
  const isTls = protocol === "https:";
  const other = `${isTls ? "http" : "https"}${baseUrl.slice(protocol.length - 1)}`;
  const is = (pattern: RegExp) => codes.find((code) => pattern.test(code));
  if (isTls && is(/^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)|^EPROTO$/)) {
    return `: the port speaks http, not https. Set baseUrl to ${other}`;
  }
  const certificate = is(/CERT|UNABLE_TO_(GET|VERIFY)|^ERR_TLS_/);
  if (certificate) {
    return `: its certificate is not accepted (${certificate}). Set baseUrl to the name in the certificate, or have this machine trust its issuer`;
  }
  if (is(/^ECONNREFUSED$/)) {
    return ": nothing listens there. Start the service, or set baseUrl to its address";
  }
  if (is(/^(ENOTFOUND|EAI_AGAIN)$/)) {
    return ": its name has no address. Check the name, and the network of this machine";
  }
  if (!isTls && is(/^(HPE_|UND_ERR_SOCKET$|ECONNRESET$)/)) {
    return `: the connection was closed without an answer. If the port speaks https, set baseUrl to ${other}`;
  }
  const isOwn = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  const hint = isTls && isOwn ? `. If the service speaks http there, set baseUrl to ${other}` : "";
  return `. Check that the service runs there, and the network between${hint}`;
}

/** The codes of an error and of what caused it. Browsers give none. */
function codesOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 8) return [];
  const { code, cause, errors }: { code?: unknown; cause?: unknown; errors?: unknown } = error;
  const more: unknown[] = Array.isArray(errors) ? errors.slice(0, 8) : [];
  const inner = [cause, ...more].flatMap((each) => codesOf(each, depth + 1));
  return typeof code === "string" && /^\w{1,60}$/.test(code) ? [code, ...inner] : inner;
}
