import type { Given, Surroundings } from "../command.ts";
import { createCheck, type FileReport, type Verdict } from "../organization-check.ts";
import { readLines } from "../organization-file.ts";
import { count, type Paint, plain, type Report } from "../output.ts";
import { quorumKeyOf } from "../receipts.ts";

/**
 * Checks an export without a network: that it is whole, that the signer has sealed each receipt and none is left out, and
 * that each activity is what its receipt and its stamps say. Whatever has no proof yet is named, and the file is not
 * called valid.
 */
export async function organizationsVerify(
  given: Given,
  surroundings: Surroundings,
): Promise<Report> {
  const file = given.word(0);
  const key = await quorumKeyOf(given, surroundings);
  const check = createCheck(key);
  for await (const line of readLines(file)) {
    check.read(line);
    if (line.number % 1000 === 0) surroundings.progress.show(count(line.number, "line"));
  }
  surroundings.progress.clear();
  const report = check.end();
  return {
    exitCode: EXIT_CODES[report.verdict],
    json: report,
    text: (paint) => textOf(report, paint),
  };
}

/** As of `receipts compare`: 3 says that nothing is wrong, and that something is not known. */
const EXIT_CODES: Record<Verdict, number> = { valid: 0, "not valid": 1, "not proven": 3 };

function textOf(report: FileReport, paint: Paint): string {
  const { verdict, problems, problemCount, unproven, unprovenCount, lastSegments } = report;
  const { organizations, activities, receipts, votesByUnknownKeys: unknown } = report;
  const all = `${count(organizations, "organization")}, ${count(activities, "activity", "activities")}, ${count(receipts, "receipt")}`;
  // Receipts come, and keys that are gone do not.
  const again = unprovenCount > unknown ? ": export again in a minute" : "";
  const firstLines = {
    valid: `${paint("green", "valid")}: ${all}`,
    "not valid": `${paint("red", "not valid")}: ${count(problemCount, "problem")}`,
    "not proven": `${paint("yellow", "not proven")}: ${all}, of which ${unprovenCount} ${unprovenCount === 1 ? "has" : "have"} no proof${again}`,
  };
  const notes: [number, string][] = [
    [
      report.activitiesNotShown,
      "with a receipt, but not in the file: newer, deleted by age, or hidden",
    ],
    [
      report.attestedStamps,
      "a login by a code or a social login: only the signer has seen the token that says whose key it is",
    ],
  ];
  return [
    firstLines[verdict],
    ...[...problems, ...unproven].map(({ code, message }) => `${code}: ${plain(message)}`),
    ...notes.flatMap(([number, text]) =>
      number > 0 ? [`${count(number, "activity", "activities")}: ${text}`] : [],
    ),
    ...(unknown > 0
      ? [
          `${count(unknown, "vote")} by keys that this file does not know: of users or sessions that are gone, or made up`,
        ]
      : []),
    ...lastSegments.map(
      ({ organizationId, number, digest }) =>
        `last segment ${number} of organization ${plain(organizationId)}, digest ${digest}`,
    ),
  ].join("\n");
}
