import { folded, lowerCase, type Value } from "../values.ts";
import type { Step } from "./terms.ts";

export const FILLINGS = [
  "0",
  "1",
  "2",
  "3",
  "4",
  "5",
  "6",
  "7",
  "8",
  "9",
  "a",
  "b",
  "c",
  "d",
  "e",
  "f",
];

export const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export function distinctFolded(texts: ReadonlySet<string>): Value[] {
  const byLower = new Map<string, string>();
  for (const text of texts) {
    if (!byLower.has(lowerCase(text))) byLower.set(lowerCase(text), text);
  }
  return [...byLower.values()].map(folded);
}

/** A text with this lower case that is none of those; one of them if they are all there is. */
export function otherCase(lower: string, taken: ReadonlySet<string>): string {
  if (!taken.has(lower)) return lower;
  const letters = [...lower].map((letter) => (letter >= "a" && letter <= "z" ? 1 : 0));
  const count = Math.min(letters.filter(Boolean).length, 20);
  for (let bits = 1; bits < 2 ** count; bits++) {
    let seen = 0;
    const text = [...lower]
      .map((letter, i) => (letters[i] && bits & (1 << seen++) ? letter.toUpperCase() : letter))
      .join("");
    if (!taken.has(text)) return text;
  }
  return lower;
}

/** A text that differs from all of these in more than case, of the same look if they have one. */
export function otherText(steps: readonly Step[], texts: readonly string[]): string {
  const taken = new Set(texts.map(lowerCase));
  const known = OTHERS[steps.join(".")]?.find((text) => !taken.has(lowerCase(text)));
  if (known) return known;
  for (let i = 1; ; i++) {
    const text = texts.some((one) => ADDRESS.test(one))
      ? `0x${i.toString(16).padStart(40, "0")}`
      : texts.some((one) => UUID.test(one))
        ? `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`
        : `other${i === 1 ? "" : i}`;
    if (!taken.has(text)) return text;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const OTHERS: Record<string, readonly string[] | undefined> = {
  "activity.type": ["ACTIVITY_TYPE_CREATE_WALLET", "ACTIVITY_TYPE_CREATE_USER_TAG"],
  "activity.kind": ["CREATE_WALLET", "CREATE_USER_TAG"],
  "activity.resource": ["WALLET", "USER"],
  "activity.action": ["CREATE", "UPDATE"],
};
