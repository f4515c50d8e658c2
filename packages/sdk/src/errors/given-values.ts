/** A value in a message. Long texts and objects may be keys, so they are not shown. */
export function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "string") {
    return value.length <= 40 ? JSON.stringify(value) : `a text of ${value.length} characters`;
  }
  const isPlain = value === null || typeof value === "number" || typeof value === "boolean";
  return isPlain ? String(value) : `a value of the type ${typeof value}`;
}

export function isId(value: unknown): boolean {
  return isText(value, /^[0-9a-f-]{36}$/i);
}

export function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}

// Of another window, or of a polyfill, it has another class.
export function isSignal(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "aborted" in value &&
    "addEventListener" in value &&
    typeof value.addEventListener === "function"
  );
}
