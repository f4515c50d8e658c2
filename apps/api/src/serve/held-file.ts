import { createHash } from "node:crypto";
import type { Context } from "hono";
import type { Env } from "../wire/request.ts";
import { contentTypeOf } from "./content-type.ts";
import { chooseEncoding, type Encoding } from "./encoding.ts";
import { hasTag } from "./entity-tag.ts";
import { formsOfProcess } from "./forms.ts";

/** A file that is kept in memory. */
export type HeldFile = {
  type: string;
  bytes: Buffer<ArrayBuffer>;
  etag: string;
  /** Null if the plain form is to be sent. */
  compressed: (encoding: Encoding) => Promise<Buffer<ArrayBuffer> | null>;
};

export function holdFile(name: string, bytes: Buffer<ArrayBuffer>): HeldFile {
  const digest = createHash("sha256").update(bytes).digest("base64url");
  const type = contentTypeOf(name);
  return {
    type,
    bytes,
    etag: `"${digest.slice(0, 22)}"`,
    compressed: (encoding) => formsOfProcess.of({ bytes, digest }, encoding),
  };
}

export async function answerWithFile(
  c: Context<Env>,
  { type, bytes, etag, compressed }: HeldFile,
  more: Record<string, string>,
): Promise<Response> {
  // Compressed or not, the content is the same, so the tag is a weak one.
  const headers = { ...more, "Content-Type": type, ETag: `W/${etag}`, Vary: "Accept-Encoding" };
  if (hasTag(c.req.header("if-none-match") ?? "", etag)) return c.body(null, 304, headers);
  const encoding = chooseEncoding(c.req.header("accept-encoding") ?? null);
  const smaller = encoding && (await compressed(encoding));
  if (!encoding || !smaller) return c.body(bytes, 200, headers);
  return c.body(smaller, 200, { ...headers, "Content-Encoding": encoding });
}
