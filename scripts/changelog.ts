import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fragmentFiles, listOf, readFragments, release } from "./changelog/fragments.ts";

const help = `Usage: node scripts/changelog.ts [--release=VERSION]

Shows what changed since the newest version: the files of changelog/.

  --release=VERSION  moves them to CHANGELOG.md as that version, with today's date
  --help             shows this text
`;

const { values } = parseArgs({
  options: { release: { type: "string" }, help: { type: "boolean" } },
});
const folder = fileURLToPath(new URL("../changelog/", import.meta.url));
const file = fileURLToPath(new URL("../CHANGELOG.md", import.meta.url));

if (values.help) {
  process.stdout.write(help);
} else if (values.release === undefined) {
  process.stdout.write(listOf(readFragments(folder)));
} else {
  const date = new Date().toISOString().slice(0, 10);
  const named = { version: values.release, date };
  writeFileSync(file, release(readFileSync(file, "utf8"), readFragments(folder), named));
  for (const fragment of fragmentFiles(folder)) rmSync(fragment);
}
