import { createInterface } from "node:readline/promises";

/** Asks a question. Everything but a yes is a no, and so is the end of the input. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
  try {
    return /^y(es)?$/i.test((await Promise.race([terminal.question(question), closed])).trim());
  } finally {
    terminal.close();
  }
}

/**
 * Text that somebody else wrote, on one line. Control characters could rewrite what the terminal shows,
 * and marks of direction could reorder it.
 */
export function printable(text: string): string {
  const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}
