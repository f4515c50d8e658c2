import { readConfig } from "../config/config.ts";
import { StartError } from "../config/start-error.ts";
import { lockDataDirectory } from "../directory/lock.ts";
import { openStore, type Store } from "../store/connect.ts";
import { deletePageFeedback, listPageFeedback } from "../store/page-feedback.ts";
import { hasEmbeddedDatabase } from "../store/pglite-directory.ts";
import {
  formatJson,
  formatReport,
  type ReportOptions,
  readReportOptions,
  usage,
} from "./report.ts";

// `npm run feedback`: shows an operator what readers said about pages of the site.

if (process.argv.includes("--help") || process.argv.includes("-h")) {
  process.stdout.write(usage);
} else {
  try {
    await run(readReportOptions(process.argv.slice(2)));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`keyhearth: ${error.message}\n`);
    process.exitCode = 1;
  }
}

async function run(options: ReportOptions) {
  const { database, dataDirectory } = readConfig();
  if (database.kind === "postgres") return show(await openStore(database), options);
  if (!hasEmbeddedDatabase(database.directory)) {
    throw new StartError(
      `there is no database in ${dataDirectory}; set DATABASE_URL or KEYHEARTH_DATA_DIR as for the service`,
    );
  }
  const lock = lockDataDirectory(dataDirectory, {
    advice:
      "one process at a time can open the embedded database, so stop the service, run this command again, and start the service",
  });
  try {
    await show(await openStore(database), options);
  } finally {
    lock.release();
  }
}

async function show(store: Store, { filter, isJson, isDelete }: ReportOptions) {
  try {
    if (isDelete) {
      const count = await deletePageFeedback(store, filter);
      process.stdout.write(`Deleted ${count} ${count === 1 ? "answer" : "answers"}.\n`);
      return;
    }
    const found = await listPageFeedback(store, filter);
    const lines = () => found.map((each) => `${formatJson(each)}\n`).join("");
    process.stdout.write(isJson ? lines() : formatReport(found));
  } finally {
    await store.close();
  }
}
