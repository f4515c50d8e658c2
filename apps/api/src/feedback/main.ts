import { readConfig } from "../config/config.ts";
import { StartError } from "../config/start-error.ts";
import { lockDataDirectory } from "../directory/lock.ts";
import { openStore, type Store } from "../store/connect.ts";
import { deletePageFeedback, listPageFeedback, type PageFeedback } from "../store/page-feedback.ts";
import { hasEmbeddedDatabase } from "../store/pglite-directory.ts";
import { type FeedbackAccess, queryOf, readFeedbackAccess } from "./access.ts";
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
  const access = readFeedbackAccess(dataDirectory);
  const answer = access && (await askService(access, options));
  if (answer) return print(answer, options);
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

/** What was found, or how many answers were deleted. */
type Answer = { found: PageFeedback[] } | { deleted: number };

/** Asks the service that has the embedded database open. Null if none runs. */
async function askService(
  { url, token }: FeedbackAccess,
  { filter, isDelete }: ReportOptions,
): Promise<Answer | null> {
  const headers = { Authorization: `Bearer ${token}` };
  const method = isDelete ? "DELETE" : "GET";
  try {
    const response = await fetch(`${url}?${queryOf(filter)}`, { method, headers });
    // Another service may have the port by now.
    if (!response.ok) return null;
    // Both sides are of one release, and the token is this service's.
    const answer = (await response.json()) as { deleted: number } | PageFeedback[];
    return Array.isArray(answer) ? { found: answer } : answer;
  } catch {
    return null;
  }
}

async function show(store: Store, options: ReportOptions) {
  const { filter, isDelete } = options;
  try {
    const answer = isDelete
      ? { deleted: await deletePageFeedback(store, filter) }
      : { found: await listPageFeedback(store, filter) };
    print(answer, options);
  } finally {
    await store.close();
  }
}

function print(answer: Answer, { isJson }: ReportOptions) {
  if ("deleted" in answer) {
    const { deleted: count } = answer;
    process.stdout.write(`Deleted ${count} ${count === 1 ? "answer" : "answers"}.\n`);
    return;
  }
  const lines = () => answer.found.map((each) => `${formatJson(each)}\n`).join("");
  process.stdout.write(isJson ? lines() : formatReport(answer.found));
}
