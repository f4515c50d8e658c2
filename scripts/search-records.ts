// Writes what the search of the built site finds as records for an index of Algolia, with the index's settings:
// `npm run search:records`, after `npm run build`.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RECORDS_FILE } from "@keyhearth/search/records";
import { keptVersions, siteBuild } from "./audit/built-pages.ts";
import { hostedRecords, indexSettings, type RecordsAt } from "./search-records/hosted-records.ts";

const output = fileURLToPath(new URL("../dist/search", import.meta.url));
const site = process.env.KEYHEARTH_SITE_URL || "http://localhost:3000";

/** The parts of the site, by their folders below it. */
const folders = ["", "es/", ...keptVersions().map((name) => `${name}/`)];
const missing = folders.find((folder) => !existsSync(join(siteBuild, folder, RECORDS_FILE)));
if (missing !== undefined) {
  process.stderr.write(`The site is not built: run npm run build -w @keyhearth/website first\n`);
  process.exit(1);
}

const parts = folders.map(
  (folder): RecordsAt => ({
    base: new URL(`/${folder}`, site).href,
    records: JSON.parse(readFileSync(join(siteBuild, folder, RECORDS_FILE), "utf8")),
  }),
);
const records = hostedRecords(parts);
mkdirSync(output, { recursive: true });
writeFileSync(
  join(output, "records.ndjson"),
  records.map((record) => `${JSON.stringify(record)}\n`).join(""),
);
writeFileSync(join(output, "settings.json"), `${JSON.stringify(indexSettings, null, 2)}\n`);
process.stdout.write(
  `Wrote ${records.length} records and the settings of their index to dist/search\n`,
);
