import { encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding";
import { sha256 } from "@keyhearth/crypto/primitives";
import type { Context } from "hono";
import type { ClientAddress } from "./rate-limit.ts";
import { type Env, isForwarded, socketAddressOf } from "./request.ts";

/** Only this machine may read metrics, or a request with the token. */
export type MetricsAccess = { metricsToken: string | null; clientAddress: ClientAddress };

/**
 * The token works from anywhere. Without it, the request must be from this machine; if it was forwarded,
 * a trusted proxy must say so, in X-Forwarded-For.
 */
export function mayReadMetrics(
  c: Context<Env>,
  { metricsToken, clientAddress }: MetricsAccess,
): boolean {
  const given = c.req.header("authorization") ?? "";
  if (metricsToken !== null && isEqualText(given, `Bearer ${metricsToken}`)) return true;
  const socket = socketAddressOf(c);
  // The address of a socket in the form that a client's has: it may be ::ffff:127.0.0.1.
  const here = clientAddress(socket, undefined);
  const client = clientAddress(socket, c.req.header("x-forwarded-for"));
  return isLoopback(here) && isLoopback(client) && (!isForwarded(c) || client !== here);
}

function isLoopback(address: string): boolean {
  return /^(::1$|127\.)/.test(address);
}

/** Compares digests in constant time, so that not even the length of the token shows. */
function isEqualText(a: string, b: string): boolean {
  return equalBytes(sha256(encodeUtf8(a)), sha256(encodeUtf8(b)));
}
