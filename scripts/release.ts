// Writes everything that a release has to `dist/release/`: `npm run release`.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.ts";
import { assertChecked, assertPublishable, publicationOf, Refusal } from "./release/publishing.ts";
import { writeRelease } from "./release/write.ts";

const help = `Usage: npm run release -- [--publish-dry-run]

Writes the files of a release to dist/release/: npm packages, Debian packages, images of containers, a
bill of materials, the changes, where they come from, and SHA256SUMS. The same commit gives the same
bytes.

  --publish-dry-run  also says what a publication would send. It refuses a tree with changes, a
                     check that fails, and a version that has a tag
  --help             shows this text
`;

const root = fileURLToPath(new URL("..", import.meta.url));

try {
  const values = readOptions(help, { "publish-dry-run": { type: "boolean" } });
  await release({ isDryRun: values["publish-dry-run"] === true });
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = 1;
}

async function release({ isDryRun }: { isDryRun: boolean }) {
  const directory = join(root, "dist/release");
  if (isDryRun) {
    await assertPublishable(root);
    await assertChecked(root);
  }
  await writeRelease(root, directory);
  const files = readdirSync(directory).map((file) => `  dist/release/${file}\n`);
  process.stdout.write(isDryRun ? publicationOf(directory) : files.join(""));
}
