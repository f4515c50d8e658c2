import { encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import type { Context } from "hono";
import { type Env, headerOf } from "../wire/request.ts";

/** Whether the request has this token, as `Authorization: Bearer`. */
export function hasBearer(c: Context<Env>, token: string): boolean {
  return isEqualText(headerOf(c, "authorization") ?? "", `Bearer ${token}`);
}

/** Compares digests in constant time, so that not even the length of a secret shows. */
export function isEqualText(a: string, b: string): boolean {
  return equalBytes(sha256(encodeUtf8(a)), sha256(encodeUtf8(b)));
}
