import { HIDDEN } from "./secret.ts";

declare const held: unique symbol;

class HeldBytes extends Uint8Array<ArrayBufferLike> {
  /** For the compiler only: `PlainBytes` does not have it. */
  declare readonly [held]: true;

  override toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return HIDDEN;
  }
}

/**
 * A seed, a private key, or the plain text of a bundle. It shows as `[secret]` in templates, JSON and inspections, and so
 * do its slices. Whatever computes with bytes takes it. The compiler refuses it in templates and sums, and where bytes
 * become text.
 */
export type SecretBytes = HeldBytes & symbol;

/** Bytes that may become text. */
export type PlainBytes = Uint8Array & { readonly [held]?: never };

/** The same bytes as a secret: who wipes one wipes both. */
export function secretBytes({ buffer, byteOffset, length }: Uint8Array): SecretBytes {
  // It is no symbol: that part of the type exists for the compiler only.
  return new HeldBytes(buffer, byteOffset, length) as SecretBytes;
}

/** The same bytes, which may become text. */
export function openBytes({ buffer, byteOffset, length }: SecretBytes): PlainBytes {
  return new Uint8Array(buffer, byteOffset, length);
}
