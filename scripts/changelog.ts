import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fragmentFiles, listOf, readFragments, release } from "./changelog/fragments.ts";
import { readOptions } from "./options.ts";

const help = `Usage: node scripts/changelog.ts [--release=VERSION]

Shows what changed since the newest version: the files of changelog/.

  --release=VERSION  moves them to CHANGELOG.md as that version, with today's date
  --help             shows this text
`;

const values = readOptions(help, { release: { type: "string" } });
const folder = fileURLToPath(new URL("../changelog/", import.meta.url));
const file = fileURLToPath(new URL("../CHANGELOG.md", import.meta.url));

if (values.release === undefined) {
  process.stdout.write(listOf(readFragments(folder)));
} else {
  const date = new Date().toISOString().slice(0, 10);
  const named = { version: values.release, date };
  writeFileSync(file, release(readFileSync(file, "utf8"), readFragments(folder), named));
  for (const fragment of fragmentFiles(folder)) rmSync(fragment);
}
