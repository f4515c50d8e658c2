import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { SUFFIX } from "../release/site-archive.ts";

const website = fileURLToPath(new URL("../../apps/website/", import.meta.url));

/** Where the build of our site is. */
export const siteBuild = join(website, "build");

export type BuiltPage = { path: string; html: string };

/** All pages of a build, except those that only redirect. */
export function builtPages(directory: string): BuiltPage[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".html"))
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const name = `/${relative(directory, file).split(sep).join("/")}`;
      const path = name.replace(/(\/index)?\.html$/, "") || "/";
      return { path, html: readFileSync(file, "utf8") };
    })
    .filter(({ html }) => !/<meta http-equiv="?refresh/i.test(html))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Earlier versions, whose sites were built when they were released. */
export function keptVersions(): string[] {
  return readdirSync(join(website, "versions"))
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length));
}

/** The pages of this version in all languages. */
export function ownPages(pages: BuiltPage[]): BuiltPage[] {
  const kept = keptVersions();
  return pages.filter(({ path }) => !kept.includes(path.split("/")[1] ?? ""));
}

/** The pages of the default language and version, without the 404 page. */
export function latestPages(pages: BuiltPage[]): BuiltPage[] {
  const languages = readdirSync(join(website, "i18n"));
  return ownPages(pages).filter(
    ({ path }) => !languages.includes(path.split("/")[1] ?? "") && path !== "/404",
  );
}

/** Whether the build has a file or a page at this path. */
export function isInSiteBuild(path: string): boolean {
  // The service serves it beside the site.
  if (path === "/dashboard") return true;
  return [path, `${path}.html`, `${path}/index.html`].some((each) =>
    existsSync(join(siteBuild, each)),
  );
}
