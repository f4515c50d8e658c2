import { createHash } from "node:crypto";
import { parseUrl } from "@keyhearth/crypto/encoding/url";

/** Sent with every answer of the site. */
const everywhere = { "x-content-type-options": "nosniff" };

/** Sent with whatever a browser can open as a document. */
export const securityHeaders = {
  ...everywhere,
  "referrer-policy": "strict-origin-when-cross-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy":
    "accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()",
};

/**
 * A browser opens no document from styles, scripts and fonts, so the other headers say nothing there, and a page waits
 * for these answers.
 */
export function headersFor(contentType: string): Record<string, string> {
  return /^(text\/(css|javascript)|font\/)/.test(contentType) ? everywhere : securityHeaders;
}

/** For pages that load nothing else: our own notices. */
export const noticePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** For a drawing or a feed that is opened as a document. It may style itself and do nothing else. */
export const xmlPolicy = `${noticePolicy}; img-src data:; sandbox`;

/**
 * The policy of one built page. The theme's inline scripts (they set light or dark before the first
 * paint) are allowed by their hashes, so an injected script does not run.
 */
export function pagePolicy(html: string): string {
  const scripts = ["'self'", ...inlineScripts(html).map(hashSource)];
  // Highlighted code has its colours in `style` attributes. A hash cannot allow these without allowing
  // them everywhere. Pages without such attributes keep the strict policy.
  const styles = hasInlineStyles(html) ? ["'self'", "'unsafe-inline'"] : ["'self'"];
  return [
    "default-src 'self'",
    `script-src ${[...new Set(scripts)].join(" ")}`,
    `style-src ${styles.join(" ")}`,
    "img-src 'self' data:",
    `connect-src ${["'self'", ...searchHosts(html), ...apiOrigins(html)].join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "object-src 'none'",
  ].join("; ");
}

/** The hosts of the search service, if the site was built to ask it: its pages connect to one of them beforehand. */
function searchHosts(html: string): string[] {
  const head = html.slice(0, html.indexOf("</head>"));
  const [, application] = connection.exec(head) ?? [];
  if (application === undefined) return [];
  const others = [1, 2, 3].map((number) => `https://${application}-${number}.algolianet.com`);
  return [`https://${application}-dsn.algolia.net`, ...others];
}

const connection =
  /<link (?=[^>]*\brel="?preconnect[\s">])[^>]*\bhref="?https:\/\/([A-Z0-9]{10})-dsn\.algolia\.net[\s">]/;

const script = /<script\b((?:[^>"']|"[^"]*"|'[^']*')*)>([\s\S]*?)<\/script\b[^>]*>/gi;

function inlineScripts(html: string): string[] {
  return [...html.matchAll(script)]
    .filter(([, attributes = ""]) => !/(^|\s)src\s*=/i.test(attributes))
    .map(([, , text = ""]) => text)
    .filter((text) => text !== "");
}

/** A site that was built for the API of another address says so in its head, and its pages send requests there. */
function apiOrigins(html: string): string[] {
  const head = html.slice(0, Math.max(0, html.search(/<\/head>/i)));
  const [tag = ""] = /<meta\b[^>]*\bname="?keyhearth-api\b[^>]*>/i.exec(head) ?? [];
  const [, address = ""] = /\bcontent="?([^"\s>]+)/i.exec(tag) ?? [];
  const url = parseUrl(address);
  return url && /^https?:$/.test(url.protocol) ? [url.origin] : [];
}

function hasInlineStyles(html: string): boolean {
  const markup = html.replace(script, "");
  return /<style\b/i.test(markup) || /<[a-z][^<>]*\sstyle\s*=/i.test(markup);
}

/** Browsers turn CR LF into LF before they hash a script. */
function hashSource(text: string): string {
  const digest = createHash("sha256").update(text.replace(/\r\n?/g, "\n")).digest("base64");
  return `'sha256-${digest}'`;
}
