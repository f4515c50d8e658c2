/** Ctrl+K, and Cmd+K of a Mac. */
export function isShortcut({ key, metaKey, ctrlKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === "k" && (metaKey || ctrlKey);
}
