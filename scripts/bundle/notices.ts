import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENSE = /^(licen[cs]e|copying|notice)/i;

/** The licences of the packages whose code is in a bundle, each with the text that it asks to be passed on. */
export function noticesOf(root: string, modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((path) => FOLDER.exec(path)?.[0] ?? []));
  const notices = [...folders].toSorted().map((folder) => noticeOf(join(root, folder)));
  return [...new Set(notices)].join(`\n${"-".repeat(80)}\n\n`);
}

function noticeOf(folder: string): string {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const files = readdirSync(folder).filter((file) => LICENSE.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), "utf8").trim());
  // A few packages name their licence only in the manifest.
  const by = typeof author === "object" ? author.name : author;
  const text =
    texts.length > 0 ? texts.join("\n\n") : `Copyright (c) ${by ?? `the ${name} authors`}`;
  return `${name} ${version} (${license})\n\n${text}\n`;
}
