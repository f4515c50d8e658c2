/** What changes the direction of text, or takes no room in it. Line breaks and tabs are seen. */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A text with what nobody would see in it. */
export function seen(text: string): string {
  return text.replace(unseen, shownAs);
}

/** As above, but for what joins the parts of an emoji, and what chooses the picture of one or of a key. */
const unseenInNames = new RegExp(
  [
    String.raw`\u{fe0f}(?<!\p{Extended_Pictographic}\u{fe0f})(?!\u{20e3})`,
    String.raw`\u{200d}(?<!(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u{fe0f})\u{200d})`,
    String.raw`\u{200d}(?!\p{Extended_Pictographic})`,
    String.raw`(?![\n\t]|\u{200d}|\u{fe0f})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`,
  ].join("|"),
  "gu",
);

/**
 * The name of somebody, where people decide by it. The service takes characters that take no room, with which two users could look
 * the same.
 */
export function seenName(name: string): string {
  return name.replace(unseenInNames, shownAs);
}

function shownAs(found: string): string {
  return `\\u{${found.codePointAt(0)?.toString(16)}}`;
}
