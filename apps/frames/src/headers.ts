/** What a page may do. Its document says the same, except which pages may embed it. */
export const rules = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Origins that may embed the frames, or `'none'`, as a header has them. */
export function pageHeaders(ancestors: string): Record<string, string> {
  return {
    ...assetHeaders,
    "Content-Security-Policy": `${rules}; frame-ancestors ${ancestors}`,
    // For pages that are isolated, which embed only what is so itself.
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Origin-Agent-Cluster": "?1",
    "Permissions-Policy":
      "clipboard-write=(self), clipboard-read=(), camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), publickey-credentials-get=(), usb=()",
    "Referrer-Policy": "no-referrer",
  };
}

/** Scripts and styles are for the pages beside them. */
export const assetHeaders = {
  "Cache-Control": "no-cache",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};
