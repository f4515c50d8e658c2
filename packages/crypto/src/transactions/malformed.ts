/**
 * What was given is not what it claims to be. Unlike the other errors of this package its message
 * says where and why, for who made a transaction has to mend it; of the input it quotes at most a
 * few bytes.
 */
export class MalformedError extends Error {
  override readonly name = "MalformedError";
}

/** A name or a number of the input as a message may quote it: short, and without control characters. */
export function quoted(text: string): string {
  const short = text.length > 40 ? `${text.slice(0, 37)}...` : text;
  return `\`${short.toWellFormed().replace(/[\p{C}`]/gu, "?")}\``;
}
