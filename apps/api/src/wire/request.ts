import type { EventEmitter } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { ApiError, unauthenticated } from "@keyhearth/engine/errors";
import type { StampHeader } from "@keyhearth/engine/people/authenticate";
import type { Context } from "hono";

/** What routes read from a request. */

/**
 * What the log says of a request. The organization is the one that the request names; the user is there only if the stamp
 * was verified.
 */
export type Asked = { code?: string; organizationId?: string; userId?: string };

/** Who sent a request, and to which organization. */
export type Sender = { organizationId: string; userId: string };

type Variables = {
  requestId: string;
  address?: string;
  asked: Asked;
  /** Headers that say what is left of a limit. */
  limits?: Record<string, string>;
  /** Whether the answer has the headers that every answer gets. */
  hasAllHeaders?: boolean;
};
/** The request as Node.js has it; absent if a test calls the app in memory. */
type Bindings = {
  incoming?: {
    headers?: IncomingHttpHeaders;
    socket?: { remoteAddress?: string; localPort?: number; destroyed?: boolean };
  };
  /** The answer as Node.js sends it. */
  outgoing?: EventEmitter;
};
export type Env = { Variables: Variables; Bindings: Bindings };

/** Reads one header without first building an object of all headers, as Hono does. */
export function headerOf(c: Context, name: string): string | undefined {
  const headers = c.env?.incoming?.headers;
  if (!headers) return c.req.header(name);
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** The other end of the connection: a client, or the proxy in front of us. */
export function socketAddressOf(c: Context<Env>): string | undefined {
  return c.env?.incoming?.socket?.remoteAddress;
}

export function stampOf(c: Context<Env>): StampHeader | null {
  const found = ["X-Stamp", "X-Stamp-Webauthn", "X-Stamp-Attested"].flatMap((name) => {
    const value = headerOf(c, name);
    return value === undefined ? [] : [{ name, value }];
  });
  const [only, ...others] = found;
  if (others.length > 0) {
    throw unauthenticated(
      "STAMP_MALFORMED",
      "malformed activity stamp: the request carries more than one stamp header; send one",
    );
  }
  return only ?? null;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The exact text that was stamped. Bytes that are not valid UTF-8 have no such text. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    const why = compressionOf(new Uint8Array(bytes)) ?? "it is not valid UTF-8";
    throw new ApiError("INVALID_ARGUMENT", "BAD_REQUEST_BODY", `bad request body: ${why}`, {
      cause,
    });
  }
}

/** What the first bytes say, if they are not those of a text in UTF-8. */
function compressionOf([first, second, third, fourth]: Uint8Array): string | null {
  const hint = "compressed; send it uncompressed, because the stamp is over the JSON itself";
  if (first === 0x1f && second === 0x8b) return `it is ${hint} (gzip)`;
  if (first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd) {
    return `it is ${hint} (zstd)`;
  }
  // The header of zlib: method 8, and a check that makes the two bytes divisible by 31.
  const isZlib = first === 0x78 && ((first << 8) + (second ?? 0)) % 31 === 0;
  if (isZlib) return `it is ${hint} (deflate)`;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 ? "it is UTF-16; send it as UTF-8 without a byte order mark" : null;
}
