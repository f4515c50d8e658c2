import { execFileSync } from "node:child_process";
import path from "node:path";
import type { VcsConfig } from "@docusaurus/types";

/** Its text is CHANGELOG.md, where each version has its own day. */
const withoutDay = "docs/developer-reference/changelog.mdx";

/**
 * The days on which each page changed, the newest first, by its path below the site. Git knows them. There are none in
 * a plain archive, and none in a shallow clone, whose oldest commit seems to have written everything.
 */
export function pageHistory(siteDir: string): Map<string, string[]> {
  const days = new Map<string, string[]>();
  try {
    if (git(siteDir, "rev-parse", "--is-shallow-repository").trim() !== "false") return days;
    const folders = ["docs", "i18n"];
    const log = ["log", "--format=@%as", "--name-only", "--relative", "--no-renames", "--"];
    let day = "";
    for (const line of git(siteDir, ...log, ...folders).split("\n")) {
      if (line.startsWith("@")) day = line.slice(1);
      else if (line !== "" && line !== withoutDay) days.set(line, [...(days.get(line) ?? []), day]);
    }
  } catch {
    // Without git, pages have no day.
  }
  return days;
}

/** Gives the builder the day of each page's last change. */
export function lastChanges(): VcsConfig {
  let site = "";
  let days = new Map<string, string[]>();
  return {
    initialize({ siteDir }) {
      site = siteDir;
      days = pageHistory(site);
    },
    // Nothing shows it. The builder counts the parameters.
    getFileCreationInfo: async (_file) => null,
    async getFileLastUpdateInfo(file) {
      const [day] = days.get(path.relative(site, file)) ?? [];
      return day === undefined ? null : { timestamp: Date.parse(day), author: "" };
    },
  };
}

function git(cwd: string, ...given: string[]): string {
  const stdio = ["ignore", "pipe", "ignore"] as const;
  return execFileSync("git", given, {
    cwd,
    encoding: "utf8",
    stdio: [...stdio],
    maxBuffer: 1 << 28,
  });
}
