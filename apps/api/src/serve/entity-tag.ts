/** Caches send the tags of the few forms that they have. */
const LONGEST_TAGS = 1000;

/** Whether `If-None-Match` has this tag, given without `W/`, in its weak comparison (RFC 9110, 13.1.2). */
export function hasTag(tags: string, etag: string): boolean {
  if (tags.length > LONGEST_TAGS) return false;
  return tags.split(",").some((tag) => {
    const bare = tag.trim().replace(/^W\//, "");
    return bare === "*" || bare === etag;
  });
}
