type Languages = { defaultLocale: string; locales: readonly string[] };

/** Everything may be read. Pages that search engines should leave out say so themselves. */
export function robotsText(url: string, { defaultLocale, locales }: Languages): string {
  const sitemaps = locales.map((locale) =>
    locale === defaultLocale ? `${url}/sitemap.xml` : `${url}/${locale}/sitemap.xml`,
  );
  return ["User-agent: *", "Allow: /", "", ...sitemaps.map((each) => `Sitemap: ${each}`), ""].join(
    "\n",
  );
}
