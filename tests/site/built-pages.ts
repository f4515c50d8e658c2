import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type BuiltPage,
  builtPages,
  ownPages,
  siteBuild,
} from "../../scripts/audit/built-pages.ts";

export function read(path: string): string {
  return readFileSync(join(siteBuild, path), "utf8");
}

export function exists(path: string): boolean {
  return existsSync(join(siteBuild, path));
}

/** All pages of this version, without those for unknown addresses. */
export function sitePages(): BuiltPage[] {
  return ownPages(builtPages(siteBuild)).filter(({ path }) => !path.endsWith("/404"));
}

export function markdownOf(path: string): string {
  return path === "/" || /^\/[a-z]{2}$/.test(path) ? join(path, "index.md") : `${path}.md`;
}
