// Writes everything that a release has to `dist/release/`: `npm run release`.

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { writeRelease } from "./release/write.ts";

const help = `Usage: npm run release -- [--publish-dry-run]

Writes the files of a release to dist/release/. The same commit gives the same bytes.

  --help  shows this text
`;

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { help: { type: "boolean" } } });

if (values.help) process.stdout.write(help);
else await writeRelease(root);
