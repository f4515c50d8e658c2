/** An element that the page has. */
export function elementOf<T extends Element>(id: string, kind: abstract new () => T): T {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`the page has no ${id}`);
}
