import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Reads and writes as many pages at a time. */
const AT_ONCE = 16;

/**
 * Has the switcher of each page in a folder lead to a version's home where that version has no such page. A page's script
 * asks when it is followed; this is for readers without scripts and for a link that opens in another tab.
 */
export async function linkHome(folder: string, version: string, pages: ReadonlySet<string>) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".html"),
  );
  for (let at = 0; at < files.length; at += AT_ONCE) {
    await Promise.all(
      files.slice(at, at + AT_ONCE).map(async (file) => {
        const path = join(folder, file);
        const html = await readFile(path, "utf8");
        const changed = withLinksHome(html, version, pages);
        if (changed !== html) await writeFile(path, changed);
      }),
    );
  }
}

export function withLinksHome(html: string, version: string, pages: ReadonlySet<string>): string {
  const base = `/${version}/`;
  return html.replaceAll(
    new RegExp(`(?<=\\shref="?)${base.replaceAll(".", "\\.")}([^"\\s>#?]*)`, "g"),
    (link, rest: string) => (pages.has(`/${rest}`.replace(/(?<=.)\/$/, "")) ? link : base),
  );
}
