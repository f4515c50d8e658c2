// Writes the day of each page's last change. The file that it writes is also what it remembers: a page
// keeps its day as long as its digest is the same, so that the days are right without the git history.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { formatPageDates, parsePageDates, renewPageDates } from "./page-dates/dates.ts";

const site = fileURLToPath(new URL("../apps/website/", import.meta.url));
const file = join(site, "page-dates.txt");
const folders = ["docs", "versioned_docs", "i18n"];
/** Its text is CHANGELOG.md, where each version has its own day. */
const withoutDate = "developer-reference/changelog.mdx";

const digests = new Map(
  folders
    .filter((folder) => existsSync(join(site, folder)))
    .flatMap((folder) => readdirSync(join(site, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(site, join(entry.parentPath, entry.name)))
    .filter(isPage)
    .map((page) => [page, digestOf(readFileSync(join(site, page)))]),
);
const known = existsSync(file) ? parsePageDates(readFileSync(file, "utf8")) : [];
const today = new Date().toISOString().slice(0, 10);
writeFileSync(file, formatPageDates(renewPageDates(known, digests, today)));

function isPage(path: string): boolean {
  return /^(?!.*\/_).*\.mdx?$/.test(path) && !path.endsWith(withoutDate);
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}
