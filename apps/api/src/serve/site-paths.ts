import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { nameOf } from "./stored-file.ts";

/**
 * The files of a built site by their URL paths. Only files found while listing the directory are
 * ever opened, so no request can name a file outside it.
 */
export type SitePaths = {
  files: Map<string, string>;
  /** Pages and files by their address in lower case. */
  addresses: Map<string, string>;
  isBuilt: boolean;
};

/** Addresses that moved, in lower case, and where each page is now. */
export type Redirects = ReadonlyMap<string, string>;

export type Destination =
  | { kind: "file"; path: string; file: string }
  | { kind: "redirect"; location: string }
  | { kind: "missing" };

export async function listSite(buildDirectory: string): Promise<SitePaths> {
  const files = new Map<string, string>();
  for (const entry of await readdirOrNothing(buildDirectory)) {
    // Symbolic links do not count as files, because they could lead out of the directory.
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    files.set(`/${nameOf(relative(buildDirectory, file)).split(sep).join("/")}`, file);
  }
  const addresses = new Map<string, string>();
  for (const path of [...files.keys()].toSorted()) {
    const address = addressOf(path);
    if (!addresses.has(address.toLowerCase())) addresses.set(address.toLowerCase(), address);
  }
  return { files, addresses, isBuilt: files.has("/index.html") };
}

/** Throws if an address is not a plain path of this site, so that no redirect leads elsewhere. */
export function readRedirects(list: Record<string, string>): Redirects {
  for (const address of Object.entries(list).flat()) {
    if (!/^(\/[\w-]+)+$/.test(address)) throw new Error(`not a path of the site: ${address}`);
  }
  return new Map(Object.entries(list).map(([from, to]) => [from.toLowerCase(), to]));
}

/**
 * Where a URL path leads: to the page that moved from it, to its file, with or without a trailing
 * slash, or to the address that differs from it only in case.
 */
export function findDestination(
  { files, addresses }: SitePaths,
  redirects: Redirects,
  pathname: string,
): Destination {
  const path = decodePath(pathname);
  if (path === undefined) return { kind: "missing" };
  const hasSlash = path.endsWith("/");
  const bare = hasSlash ? path.slice(0, -1) : path;
  // It comes before the files, because the build has a page there for hosts that cannot redirect.
  const moved = redirects.get(bare.toLowerCase());
  if (moved !== undefined) return redirect(moved);
  const candidates = hasSlash
    ? [`${path}index.html`, `${bare}.html`]
    : [path, `${path}.html`, `${path}/index.html`];

  for (const candidate of candidates) {
    const file = files.get(candidate);
    // The only address of a not-found page is its file name.
    if (file === undefined || (isNotFoundPage(candidate) && path !== candidate)) continue;
    if (path === candidate && path.endsWith("/index.html")) return redirect(addressOf(path));
    return { kind: "file", path: candidate, file };
  }

  const address = addresses.get((bare || "/").toLowerCase());
  if (address === undefined) return { kind: "missing" };
  const location = hasSlash && !files.has(address) ? `${address}/` : address;
  return location === path ? { kind: "missing" } : redirect(location);
}

/** The not-found page in the language of the path: `/es/404.html` for a path below `/es`. */
export function notFoundPage({ files, addresses }: SitePaths, pathname: string) {
  const language = pathname.split("/")[1]?.toLowerCase() ?? "";
  const address = addresses.get(`/${language}/404.html`);
  return files.get(address ?? "/404.html");
}

function isNotFoundPage(path: string): boolean {
  return /^\/([^/]+\/)?404\.html$/.test(path);
}

/**
 * `/concepts/wallets/index.html` and `/concepts/wallets.html` are both served at
 * `/concepts/wallets`.
 */
function addressOf(path: string): string {
  if (isNotFoundPage(path)) return path;
  return path.replace(/(\/index)?\.html$/, "") || "/";
}

function redirect(address: string): Destination {
  return { kind: "redirect", location: encodeURI(address).replace(/[?#]/g, encodeURIComponent) };
}

/** None of our files has a slash or a zero byte inside a segment of its path. */
function decodePath(pathname: string): string | undefined {
  if (/%(2f|5c|00)/i.test(pathname)) return undefined;
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}

async function readdirOrNothing(directory: string) {
  try {
    return await readdir(directory, { recursive: true, withFileTypes: true });
  } catch (error) {
    // The directory is absent, or a build replaced it while we listed it.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
