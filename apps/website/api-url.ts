/**
 * The address of the API that the site's reference sends requests to, if the site is served from another one, such as
 * `https://keys.example.com`. Null for a site that the service itself serves.
 */
export function readApiUrl(env: Readonly<Record<string, string | undefined>>): string | null {
  const given = env.KEYHEARTH_SITE_API_URL;
  if (!given) return null;
  const url = URL.parse(given);
  const isPlain = url !== null && url.search + url.hash + url.username + url.password === "";
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, "");
  throw new Error(
    `KEYHEARTH_SITE_API_URL is \`${given}\`: write the address of a service, such as https://keys.example.com`,
  );
}
