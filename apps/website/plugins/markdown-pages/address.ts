/** Where the Markdown of the page at this path is: `/index.md` of `/`, and `/faq.md` of `/faq`. */
export function markdownAddress(pathname: string, baseUrl: string): string {
  const path = pathname.replace(/\/$/, "");
  return `${path}/` === baseUrl ? `${baseUrl}index.md` : `${path}.md`;
}
