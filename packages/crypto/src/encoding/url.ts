/** A URL, or null if the text is none. `URL.parse` does the same, and Node.js has it only since version 22. */
export function parseUrl(text: string | URL, base?: string | URL): URL | null {
  return URL.canParse(text, base) ? new URL(text, base) : null;
}
