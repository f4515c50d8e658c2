import * as z from "zod";

/**
 * A text of at most so many characters. What is longer is refused without any further check, because checks read the
 * whole text, and some parse it.
 */
export function boundedText(max: number) {
  return z.string().max(max, { error: `must have at most ${max} characters`, abort: true });
}
