/** A message of the product that a text looks like, and the code that it comes with. */
export type Match = { code: string; message: string };

type Messages = Readonly<Record<string, readonly string[]>>;

/** A pasted log may be long. What matters is in some line of this. */
const MAX_LENGTH = 4000;
const MAX_WORDS = 60;
const MAX_MATCHES = 5;

/** How many characters of a message say much. */
const SAYS_MUCH = 40;

/** Less alike than this is no help. */
const LEAST = 0.5;

/**
 * The messages that a text contains, or that contain it, or that share most of its words: the most similar one of each
 * code, the best first. Values differ from message to message, so only the text around them is compared.
 */
export function matchMessages(text: string, messages: Messages): Match[] {
  const plain = plainOf(text.slice(0, MAX_LENGTH));
  if (plain.length < 3) return [];
  const words = [...new Set(wordsOf(plain))].slice(0, MAX_WORDS);
  const rarity = rarityIn(messages, words);
  return Object.entries(messages)
    .flatMap(([code, list]) => {
      const scored = list.map((message) => ({ message, score: scoreOf(plain, message, rarity) }));
      const [best] = scored.sort((a, b) => b.score - a.score);
      return best && best.score >= LEAST ? [{ code, ...best }] : [];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_MATCHES)
    .map(({ code, message }) => ({ code, message }));
}

function scoreOf(text: string, message: string, rarity: ReadonlyMap<string, number>): number {
  const parts = plainOf(message)
    .split("…")
    .map((part) => part.trim())
    .filter((part) => part.length > 3);
  const whole = parts.join(" ");
  if (whole.includes(text)) return 1 + text.length / (whole.length + text.length);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  // Many words in this order are more than the same words anywhere.
  const contained = containedIn(text, parts);
  if (contained > 20 && contained >= 0.6 * length) {
    // Of two that fit, the one with more of its own text says more about what happened.
    return 1 + (contained / length) * (contained / (contained + SAYS_MUCH));
  }
  return shareOf(rarity, whole);
}

/** How much of the parts is in the text, in their order. */
function containedIn(text: string, parts: readonly string[]): number {
  let [at, length] = [0, 0];
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) continue;
    at = found + part.length;
    length += part.length;
  }
  return length;
}

/** The share of the text's words that a message has, where rare words count for more. */
function shareOf(rarity: ReadonlyMap<string, number>, message: string): number {
  const has = new Set(wordsOf(message));
  let [all, shared] = [0, 0];
  for (const [word, weight] of rarity) {
    all += weight;
    if (has.has(word)) shared += weight;
  }
  return all === 0 ? 0 : shared / all;
}

/** Words that no message has are values, and say nothing. */
function rarityIn(messages: Messages, words: readonly string[]): Map<string, number> {
  const texts = Object.values(messages).flatMap((list) =>
    list.map((text) => new Set(wordsOf(plainOf(text)))),
  );
  return new Map(
    words.flatMap((word) => {
      const count = texts.filter((text) => text.has(word)).length;
      return count === 0 ? [] : [[word, Math.log(1 + texts.length / count)] as const];
    }),
  );
}

function wordsOf(text: string): string[] {
  return text.match(/[a-z][a-z0-9_]{2,}/g) ?? [];
}

/** The same text, however a program quotes it. */
function plainOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/\\["n]|[`"'’“”]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
