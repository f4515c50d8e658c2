import { parseArgs } from "node:util";
import { visible } from "@keyhearth/engine/errors";
import type { FeedbackFilter, PageFeedback } from "../store/page-feedback.ts";

/** What `npm run feedback` is asked to do, and what it prints. */

export type ReportOptions = { filter: FeedbackFilter; isJson: boolean; isDelete: boolean };

export const usage = `usage: npm run feedback -- [--page PATH] [--from DATE] [--before DATE] [--json] [--delete]

Shows what readers said about pages of the site: a table of pages, then the texts, newest first.
The service may run. If it does, and its database is the embedded one, it is asked on this machine.

  --page PATH    only about this page, such as /concepts/wallets
  --from DATE    only from this day on, such as 2026-01-31 (UTC)
  --before DATE  only before this day
  --json         one line of JSON for each answer
  --delete       deletes what the other options select; without them, everything
`;

/** Throws an Error with a sentence for the operator. */
export function readReportOptions(args: string[]): ReportOptions {
  const { values } = parseArgs({
    args,
    strict: true,
    options: {
      page: { type: "string" },
      from: { type: "string" },
      before: { type: "string" },
      json: { type: "boolean", default: false },
      delete: { type: "boolean", default: false },
    },
  });
  return {
    filter: {
      page: values.page ?? null,
      fromMs: values.from === undefined ? 0 : readDay("--from", values.from),
      beforeMs:
        values.before === undefined ? Number.MAX_SAFE_INTEGER : readDay("--before", values.before),
    },
    isJson: values.json,
    isDelete: values.delete,
  };
}

function readDay(name: string, text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  const isDay = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
  if (isDay) return ms;
  throw new Error(`${name} is \`${visible(text)}\`; expected a day such as 2026-01-31`);
}

/** Strangers wrote the texts, so no character of them reaches the terminal that is not shown as such. */
export function formatReport(found: readonly PageFeedback[]): string {
  if (found.length === 0) return "Nobody has said anything yet.\n";
  const pages = [...Map.groupBy(found, ({ page }) => page)].map(([page, answers]) => {
    const yes = answers.filter(({ isHelpful }) => isHelpful).length;
    return { page, yes, no: answers.length - yes };
  });
  pages.sort((a, b) => b.no - a.no || b.yes - a.yes || a.page.localeCompare(b.page));
  const rows = pages.map(({ page, yes, no }) => `${cell(no)} ${cell(yes)}  ${visible(page)}`);
  const texts = found.flatMap(({ comment, ...answer }) =>
    comment === null ? [] : [`\n${headline(answer)}\n${quote(comment)}`],
  );
  return `${[`${cell("no")} ${cell("yes")}  page`, ...rows, ...texts].join("\n")}\n`;
}

function cell(value: number | string): string {
  return String(value).padStart(6);
}

function headline({ page, isHelpful, createdAtMs }: Omit<PageFeedback, "comment">): string {
  const at = new Date(createdAtMs).toISOString().slice(0, 16).replace("T", " ");
  return `${at}  ${isHelpful ? "yes" : "no"}  ${visible(page)}`;
}

function quote(comment: string): string {
  return visible(comment)
    .split("\n")
    .map((line) => `  | ${line}`)
    .join("\n");
}

/** One line of JSON. */
export function formatJson({ page, isHelpful, comment, createdAtMs }: PageFeedback): string {
  const at = new Date(createdAtMs).toISOString();
  const text = JSON.stringify({ at, page, helpful: isHelpful, text: comment });
  return text.replace(/[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
