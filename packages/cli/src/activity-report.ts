import type { Activity, KeyhearthClient } from "@keyhearth/sdk";
import { shellWord } from "./connection/own-folder.ts";
import { missingApprovals } from "./denials.ts";
import { indent, jsonText, plain, type Report } from "./output.ts";
import { factsReport, timeOf } from "./tables.ts";

/** An activity with its votes and, while it waits, whose approvals are missing and the command that approves it. */
export async function activityReport(
  activity: Activity,
  client: KeyhearthClient,
  exitCode = 0,
): Promise<Report> {
  const { id, type, status, fingerprint, createdAt, votes, failure } = activity;
  const isWaiting = status === "ACTIVITY_STATUS_CONSENSUS_NEEDED" && !failure;
  // Not every user may ask.
  const missing = isWaiting ? await missingApprovals(activity, client).catch(() => []) : [];
  // What was read here is what may be approved: the service could show another request under the id later.
  const approving = `keyhearth activities approve ${shellWord(plain(id))} --fingerprint ${shellWord(plain(fingerprint))}`;
  const [, result] = Object.entries({ ...activity.result })[0] ?? [];
  const hasResult = status === "ACTIVITY_STATUS_COMPLETED" && result !== undefined;
  const facts = factsReport(undefined, [
    ["activity", id],
    ["type", type],
    ["status", status],
    ["fingerprint", fingerprint],
    ["at", timeOf(createdAt)],
    ...votes.map(
      ({ selection, user }) =>
        [
          selection === "VOTE_SELECTION_APPROVED" ? "approved by" : "rejected by",
          user.userName,
        ] as const,
    ),
    ...(failure ? [["failure", failure.message ?? ""] as const] : []),
  ]);
  return {
    exitCode,
    json: { activity, ...(isWaiting && { neededApprovals: missing.map(({ json }) => json) }) },
    text: (paint) =>
      [
        facts.text(paint),
        ...missing.map(({ line }) => line),
        ...(isWaiting ? [`approve with \`${approving}\``] : []),
        ...(hasResult ? ["result", ...indent(jsonText(result).split("\n"))] : []),
      ].join("\n"),
  };
}
