/** A part of two texts that are compared: in both, or in one of them. */
export type Part = { kind: "same" | "removed" | "added"; text: string };

const MOST_WORDS = 2000;

/** The longest common sequence of words stays, the rest is removed or added. */
export function differenceOf(before: string, after: string): Part[] {
  const [old, made] = [wordsOf(before), wordsOf(after)];
  if (old.length > MOST_WORDS || made.length > MOST_WORDS) {
    return joined([
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ]);
  }
  const width = made.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = made.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        old[i] === made[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const parts: Part[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < made.length) {
    const [left, right] = [old[i], made[j]];
    if (left !== undefined && left === right) {
      parts.push({ kind: "same", text: left });
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      parts.push({ kind: "removed", text: left });
      i++;
    } else {
      parts.push({ kind: "added", text: right ?? "" });
      j++;
    }
  }
  return joined(parts);
}

function wordsOf(text: string): string[] {
  return text.match(/\w+|\s+|[^\w\s]/g) ?? [];
}

function joined(parts: readonly Part[]): Part[] {
  const whole: Part[] = [];
  for (const { kind, text } of parts) {
    const last = whole.at(-1);
    if (last?.kind === kind) last.text += text;
    else if (text !== "") whole.push({ kind, text });
  }
  return whole;
}
