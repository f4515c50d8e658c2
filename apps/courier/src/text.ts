/** Every character that HTML or an attribute gives a meaning is written as a reference. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text for one line of a header: no line breaks, no other control characters, none that turn its order around. */
export function oneLine(text: string, maxLength = 200): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\ufeff]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return [...line].slice(0, maxLength).join("");
}

/** Exactly one address, which no header and no envelope can read as anything else. */
export function isMailAddress(text: string): boolean {
  return (
    text.length <= 254 &&
    !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) &&
    /^[^\s@<>"'(),:;\\[\]`]+@([^\s@<>"'(),:;\\[\]`.]+\.)+[^\s@<>"'(),:;\\[\]`.]+$/.test(text)
  );
}

export function isPhoneNumber(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text);
}
