/**
 * The input is malformed. Unlike the other errors of this package, this one says where and why, so
 * that the author of a transaction can fix it. It quotes at most a few bytes of the input.
 */
export class MalformedError extends Error {
  override readonly name = "MalformedError";
}

/** A name or a number of the input for a message: shortened, and without control characters. */
export function quoted(text: string): string {
  const short = text.length > 40 ? `${text.slice(0, 37)}...` : text;
  return `\`${short.toWellFormed().replace(/[\p{C}`]/gu, "?")}\``;
}
