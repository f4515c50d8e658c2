import { encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding";
import { sha256 } from "@keyhearth/crypto/primitives";
import type { Context } from "hono";
import type { ClientAddress } from "./rate-limit.ts";
import { type Env, socketAddressOf } from "./request.ts";

/** Only this machine may read metrics, or a request with the token. */
export type MetricsAccess = { metricsToken: string | null; clientAddress: ClientAddress };

/**
 * The token works from anywhere. Without it, the request must be from this machine; if it was forwarded,
 * a trusted proxy must say so.
 */
export function mayReadMetrics(
  c: Context<Env>,
  { metricsToken, clientAddress }: MetricsAccess,
): boolean {
  const given = c.req.header("authorization") ?? "";
  if (metricsToken !== null && isEqualText(given, `Bearer ${metricsToken}`)) return true;
  const forwardedFor = c.req.header("x-forwarded-for");
  const socketAddress = socketAddressOf(c);
  const address = clientAddress(socketAddress, forwardedFor);
  const isHere = /^(::1|127\.|::ffff:127\.)/.test(address);
  return isHere && (forwardedFor === undefined || address !== socketAddress);
}

/** Compares digests in constant time, so that not even the length of the token shows. */
function isEqualText(a: string, b: string): boolean {
  return equalBytes(sha256(encodeUtf8(a)), sha256(encodeUtf8(b)));
}
