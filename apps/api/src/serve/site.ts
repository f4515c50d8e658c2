import type { SiteTheme } from "../config/variables.ts";
import { chooseEncoding } from "./encoding.ts";
import { hasTag } from "./entity-tag.ts";
import type { Forms } from "./forms.ts";
import { headersFor, noticePolicy, securityHeaders } from "./security-headers.ts";
import type { ShownPlaces } from "./shown-places.ts";
import { createSiteFiles, type SiteFile } from "./site-files.ts";
import {
  findDestination,
  listSite,
  notFoundPage,
  type Redirects,
  type SitePaths,
} from "./site-paths.ts";

/** Null for requests that are not for the site: API paths, and methods other than GET and HEAD. */
export type Site = (request: Request) => Promise<Response | null>;

/** A whole build takes 63 MB, and 11 more where its texts are stored compressed. */
const CAPACITY_BYTES = 80 * 1024 * 1024;

/**
 * Serves the built documentation site. It notices a new build without a restart: changed files by
 * their modification time, new paths by listing the directory again, at most once a second.
 */
export function createSite({
  buildDirectory,
  redirects = new Map(),
  places,
  theme = "light",
  hasModel = false,
  capacityBytes = CAPACITY_BYTES,
  forms,
  nowMs = () => performance.now(),
}: {
  buildDirectory: string;
  redirects?: Redirects;
  /** Without them the pages name the places that they were built with. */
  places?: ShownPlaces;
  theme?: SiteTheme;
  /** Whether a model answers what readers ask the assistant. */
  hasModel?: boolean;
  capacityBytes?: number;
  /** Without them, those of the process. */
  forms?: Forms;
  nowMs?: () => number;
}): Site {
  const files = createSiteFiles({ capacityBytes, forms, shown: { places, theme, hasModel } });
  let listing: { paths: Promise<SitePaths>; atMs: number } | undefined;

  function list(): Promise<SitePaths> {
    const listed = { paths: listSite(buildDirectory), atMs: nowMs() };
    listing = listed;
    listed.paths.catch(() => {
      if (listing === listed) listing = undefined;
    });
    return listed.paths;
  }

  async function find(pathname: string) {
    const paths = await (listing?.paths ?? list());
    const destination = findDestination(paths, redirects, pathname);
    const isStale = nowMs() - (listing?.atMs ?? 0) > 1000;
    if (destination.kind !== "missing" || !isStale) return { paths, destination };
    const fresh = await list();
    return { paths: fresh, destination: findDestination(fresh, redirects, pathname) };
  }

  return async (request) => {
    const { pathname, search } = new URL(request.url);
    if (request.method !== "GET" && request.method !== "HEAD") return null;
    if (pathname === "/public" || pathname.startsWith("/public/")) return null;

    const { paths, destination } = await find(pathname);
    if (destination.kind === "redirect") return movedTo(`${destination.location}${search}`);
    if (destination.kind === "file") {
      const file = await files.open(destination.file);
      if (file)
        return answer(request, file, { cacheControl: cacheControlOf(destination.path, file) });
      listing = undefined;
    }
    if (!paths.isBuilt) return notBuilt(request);
    const page = await files.open(notFoundPage(paths, pathname) ?? "");
    return page ? answer(request, page, { status: 404, cacheControl: "no-cache" }) : notFound();
  };
}

/** Answers with one file that does not go away, in the ways that it answers with those of a site. */
export function createFile(path: string): (request: Request) => Promise<Response> {
  const files = createSiteFiles({ capacityBytes: Number.POSITIVE_INFINITY });
  return async (request) => {
    const file = await files.open(path);
    if (!file) throw new Error(`${path} is gone`);
    return answer(request, file, { cacheControl: "no-cache" });
  };
}

async function answer(
  request: Request,
  file: SiteFile,
  { status = 200, cacheControl }: { status?: 200 | 404; cacheControl: string },
): Promise<Response> {
  const encoding = chooseEncoding(request.headers.get("accept-encoding"));
  const body = await file.body(encoding);
  const headers = new Headers({
    ...headersFor(file.contentType),
    "cache-control": cacheControl,
    etag: body.etag,
    "last-modified": new Date(file.modifiedMs).toUTCString(),
  });
  if (file.isCompressible) headers.set("vary", "Accept-Encoding");
  if (file.policy) headers.set("content-security-policy", file.policy);
  if (status === 200 && isFresh(request.headers, body.etag, file.modifiedMs)) {
    return new Response(null, { status: 304, headers });
  }

  headers.set("content-type", file.contentType);
  headers.set("content-length", String(body.bytes.length));
  if (body.encoding) headers.set("content-encoding", body.encoding);
  return new Response(request.method === "HEAD" ? null : body.bytes, { status, headers });
}

/** RFC 9110, 13.2.2: the date counts only if no tag was sent. */
function isFresh(headers: Headers, etag: string, modifiedMs: number): boolean {
  const tags = headers.get("if-none-match");
  if (tags !== null) return hasTag(tags, etag);
  const sinceMs = Date.parse(headers.get("if-modified-since") ?? "");
  return Math.floor(modifiedMs / 1000) * 1000 <= sinceMs;
}

function cacheControlOf(path: string, { namesPlaces }: SiteFile): string {
  // The build puts a hash of the content into these names, so their content never changes.
  if (!namesPlaces && /^(\/\d+\.\d+)?\/assets\/.*[.-][0-9a-f]{7,}\.[a-z0-9]+$/.test(path)) {
    return "public, max-age=31536000, immutable";
  }
  if (/\.(avif|gif|ico|jpe?g|png|svg|webp|woff2?)$/.test(path)) return "public, max-age=3600";
  return "no-cache";
}

function movedTo(location: string): Response {
  const headers = { ...securityHeaders, location, "cache-control": "public, max-age=3600" };
  return new Response(null, { status: 301, headers });
}

function notFound(): Response {
  return notice(404, "Page not found", "<p>There is no page at this address.</p>");
}

function notBuilt({ method }: Request): Response {
  const response = notice(
    503,
    "The site is not built yet",
    "<p>The API is running. To build the documentation, run <code>npm run build</code> in the repository, then reload this page.</p>",
  );
  return method === "HEAD" ? new Response(null, response) : response;
}

function notice(status: 404 | 503, title: string, text: string): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} | Keyhearth</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif; }
body { max-width: 36rem; margin: 15vh auto; padding: 0 1.5rem; }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
${text}
</main>
</body>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      ...securityHeaders,
      "cache-control": "no-store",
      "content-security-policy": noticePolicy,
      "content-type": "text/html; charset=utf-8",
    },
  });
}
