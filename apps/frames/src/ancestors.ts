/** Pages of this machine, at any port. A frame there can make keys without https. */
export const LOOPBACK = "http://localhost:* http://127.0.0.1:*";

/**
 * The origins of a list that is separated by commas, as `frame-ancestors` has them. Undefined if one is not an origin, or is one
 * whose pages can make no keys: browsers offer WebCrypto to https and to this machine.
 */
export function parseAncestors(list: string): string | undefined {
  const origins = list.split(",").map((each) => each.trim().replace(/\/$/, ""));
  const areOrigins = origins.every((each) => {
    // A URL takes characters in its host that would end the header's list, or the page's attribute.
    const isOrigin =
      /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?$/.test(each) && URL.parse(each)?.origin === each;
    return isOrigin && /^(https:|http:\/\/(localhost|127\.0\.0\.1)(:|$))/.test(each);
  });
  return areOrigins ? [...new Set(origins)].join(" ") : undefined;
}
