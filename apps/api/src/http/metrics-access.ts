import { encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding";
import { sha256 } from "@keyhearth/crypto/primitives";
import type { Context } from "hono";
import type { ClientAddress } from "./rate-limit.ts";
import { type Env, socketAddressOf } from "./request.ts";

/** Metrics are for this machine, or for whoever knows the token. */
export type MetricsAccess = { metricsToken: string | null; clientAddress: ClientAddress };

/** With the token from anywhere; without it from this machine, unless a proxy stands between. */
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

/** In constant time for equal lengths: of digests, so that lengths do not show either. */
function isEqualText(a: string, b: string): boolean {
  return equalBytes(sha256(encodeUtf8(a)), sha256(encodeUtf8(b)));
}
