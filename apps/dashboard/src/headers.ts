// What a server sends with the dashboard (decision 28). The service does, and so does any host of plain files.

export type Connected = {
  /** The origin of the service, if it is not the page's own. */
  api?: string;
  /** The origin of the frames, if it is not the page's own. */
  frames?: string;
};

/**
 * Two style elements that React Aria adds to the head: the first time something can be pressed, and while a dialog is open.
 * `headers.test.ts` reads them from the library, and computes these hashes again.
 */
export const libraryStyles = [
  "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='",
  "'sha256-gYiS/BvZvRcK27JIXTuwhZ3hs2+VJ1X+2gUlE+farlg='",
];

/** What a page may do. A document cannot say by itself who may embed it, so that is in the headers only. */
export function pageRules({ api, frames }: Connected = {}): string {
  const and = (origin: string | undefined) => (origin === undefined ? "" : ` ${origin}`);
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${libraryStyles.join(" ")}`,
    "font-src 'self'",
    "img-src 'self' data:",
    "worker-src 'self'",
    `connect-src 'self'${and(api)}`,
    `frame-src 'self'${and(frames)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    // `src/ui/no-html.ts`: nothing but the empty text becomes HTML. The other one is for the worker that compares policies.
    "trusted-types default keyhearth-worker",
  ].join("; ");
}

export function pageHeaders(connected: Connected = {}): Record<string, string> {
  return {
    ...everywhere,
    "Cache-Control": "no-cache",
    "Content-Security-Policy": `${pageRules(connected)}; frame-ancestors 'none'`,
    // A provider's login opens in a window, which tells the page how it went.
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    "Origin-Agent-Cluster": "?1",
    "Permissions-Policy":
      "accelerometer=(), browsing-topics=(), camera=(), clipboard-read=(), clipboard-write=(self), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-create=(self), publickey-credentials-get=(self), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
  };
}

/**
 * The page that a provider sends people back to, with an ID token in its address. It has nothing but a sentence. With the
 * opener policy of the other pages, the window that waits for it would lose it.
 */
export function returnedHeaders(): Record<string, string> {
  return {
    ...pageHeaders(),
    "Content-Security-Policy":
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "unsafe-none",
  };
}

const everywhere = {
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};

/** Files whose names have a hash of their content never change. */
export function assetHeaders({ isHashed }: { isHashed: boolean }): Record<string, string> {
  return {
    ...everywhere,
    "Cache-Control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
  };
}
