/**
 * The section of a page's Markdown that an anchor names, down to the next heading of its level. Null if no heading has
 * the anchor's words: `#read-them` and `#create_wallet` name “Read them” and “Create wallet”.
 */
export function sectionOf(markdown: string, anchor: string): string | null {
  const sought = lettersOf(anchor);
  const lines = markdown.split("\n");
  const headings = headingsIn(lines);
  const first = headings.findIndex(({ title }) => lettersOf(title) === sought);
  const found = headings[first];
  if (!found) return null;
  const next = headings.slice(first + 1).find(({ level }) => level <= found.level);
  return lines.slice(found.line, next?.line).join("\n").trim();
}

type Heading = { line: number; level: number; title: string };

function headingsIn(lines: string[]): Heading[] {
  const headings: Heading[] = [];
  let fence: string | null = null;
  for (const [line, text] of lines.entries()) {
    const mark = /^\s*(```+|~~~+)/.exec(text)?.[1];
    if (mark !== undefined) fence = fence === null ? mark : text.trim() === fence ? null : fence;
    const [, signs, title] = (fence === null && /^(#{1,6}) (.*)$/.exec(text)) || [];
    if (signs !== undefined && title !== undefined) {
      headings.push({ line, level: signs.length, title });
    }
  }
  return headings;
}

function lettersOf(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase();
}
