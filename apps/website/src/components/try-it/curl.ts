/** A request as it was sent. */
export type SentRequest = { url: string; header: { name: string; value: string }; body: string };

/** A command for a POSIX shell that sends the same bytes with the same stamp. */
export function curlOf({ url, header, body }: SentRequest): string {
  return [
    `curl ${quote(url)}`,
    `  -H ${quote("Content-Type: application/json")}`,
    `  -H ${quote(`${header.name}: ${header.value}`)}`,
    `  --data-raw ${quote(body)}`,
  ].join(" \\\n");
}

/** Within single quotes, a shell takes everything as it is but the single quote. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
