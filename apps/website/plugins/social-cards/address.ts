/** The image that is shown with a link to the page at this path. */
export function cardOf(permalink: string, baseUrl: string): string {
  const below = permalink.slice(baseUrl.length).replace(/\/$/, "");
  return `${baseUrl}img/cards/${below.replaceAll("/", ".")}.png`;
}
