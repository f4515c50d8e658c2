import { createHash } from "node:crypto";
import type { Activity } from "@keyhearth/sdk";
import {
  type ActivityStatement,
  verifyReceipts,
  verifyStampedRequest,
} from "@keyhearth/sdk/crypto";
import type { Given, Surroundings } from "../command.ts";
import { FORM, kinds, type ReadLine, readLines } from "../organization-file.ts";
import { count, plain, type Report } from "../output.ts";
import { quorumKeyOf } from "../receipts.ts";

/** How many problems are listed. A file that is wrong from its beginning has one in each line. */
const MOST_PROBLEMS = 100;

/**
 * Checks an export without a network: that it is whole, that the signer has sealed each receipt, and that each activity is
 * the one that its receipt and its stamp are about.
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
  const { valid, problems, problemCount, organizations, activities, receipts } = report;
  const notes: [number, string][] = [
    [report.activitiesWithoutReceipt, "had no receipt yet"],
    [
      report.activitiesNotShown,
      "have a receipt and are not in the file: they are newer, were deleted by their age, or were hidden",
    ],
    [report.stampsNotVerified, "have a stamp that only the signer can verify"],
  ];
  return {
    exitCode: valid ? 0 : 1,
    json: report,
    text: (paint) =>
      [
        valid
          ? `${paint("green", "valid")}: ${count(organizations, "organization")}, ${count(activities, "activity", "activities")}, ${count(receipts, "receipt")}`
          : `${paint("red", "not valid")}: ${count(problemCount, "problem")}`,
        ...problems.map(({ code, message }) => `${code}: ${plain(message)}`),
        ...notes.flatMap(([number, text]) =>
          number > 0 ? [`${count(number, "activity", "activities")} ${text}`] : [],
        ),
      ].join("\n"),
  };
}

export type Problem = { readonly code: string; readonly message: string };

/** What is known of an activity of the file until its receipt comes. */
type Expected = Pick<Activity, "fingerprint" | "type" | "status">;

/** What has been read of one organization. */
type Section = {
  readonly expected: Map<string, Expected>;
  /** The digest of the last segment. */
  from: string | null;
  unsealed: number;
};

function createCheck(key: string) {
  const problems: Problem[] = [];
  const sections = new Map<string, Section>();
  const found = { activities: 0, receipts: 0, activitiesNotShown: 0, stampsNotVerified: 0 };
  let problemCount = 0;
  let lines = 0;
  let isEnded = false;

  function refuse(code: string, message: string) {
    problemCount += 1;
    if (problems.length < MOST_PROBLEMS) problems.push({ code, message });
  }

  function sectionOf(organizationId: string): Section {
    const known = sections.get(organizationId);
    if (known) return known;
    const section: Section = { expected: new Map(), from: null, unsealed: 0 };
    sections.set(organizationId, section);
    return section;
  }

  function readActivity(organizationId: string, activity: Activity) {
    found.activities += 1;
    const { id, fingerprint, type, status, votes } = activity;
    if (activity.organizationId !== organizationId) {
      refuse("OTHER_ORGANIZATION", `activity ${id} is of another organization`);
    }
    const first = votes?.[0];
    if (typeof first?.message !== "string" || fingerprintOf(first.message) !== fingerprint) {
      refuse("REQUEST_CHANGED", `the request of activity ${id} does not have its fingerprint`);
    } else if (first.scheme === ATTESTED) {
      found.stampsNotVerified += 1;
    } else if (!hasStamp(activity, first.message)) {
      refuse("STAMP_INVALID", `the request of activity ${id} was not stamped by its key`);
    }
    const section = sectionOf(organizationId);
    if (section.expected.has(id)) refuse("ACTIVITY_REPEATED", `activity ${id} appears twice`);
    section.expected.set(id, { fingerprint, type, status });
  }

  function readReceipts(
    organizationId: string,
    data: { receiptsFile?: unknown; unsealed?: unknown },
  ) {
    const section = sectionOf(organizationId);
    section.unsealed = typeof data.unsealed === "number" ? data.unsealed : 0;
    if (isEmpty(data.receiptsFile)) return;
    const report = verifyReceipts(data.receiptsFile, key, { from: section.from });
    for (const { code, message } of report.problems) {
      refuse(code, `${message} (organization ${organizationId})`);
    }
    if (report.organizationId !== null && report.organizationId !== organizationId) {
      refuse("OTHER_ORGANIZATION", `the receipts of ${organizationId} are of another organization`);
    }
    section.from = report.lastSegment?.digest ?? section.from;
    found.receipts += report.receipts;
    for (const statement of report.statements) compare(section, statement);
  }

  function compare({ expected }: Section, statement: ActivityStatement) {
    const { activityId } = statement;
    const activity = expected.get(activityId);
    if (!activity) {
      found.activitiesNotShown += 1;
      return;
    }
    expected.delete(activityId);
    if (
      activity.fingerprint !== statement.fingerprint ||
      activity.type !== statement.activityType
    ) {
      refuse("ACTIVITY_CHANGED", `activity ${activityId} is not the one of its receipt`);
    } else if (activity.status !== statement.status && !isOpen(activity)) {
      refuse("STATUS_CHANGED", `activity ${activityId} has another status than its receipt`);
    }
  }

  function read({ number, value, digestBefore }: ReadLine) {
    if (!isLine(value)) {
      refuse("LINE_MALFORMED", `line ${number} has an unknown form`);
      return;
    }
    const { kind, organizationId, data } = value;
    if (isEnded) refuse("LINE_AFTER_END", `line ${number} follows the end`);
    if ((number === 1) !== (kind === "export")) {
      refuse("LINE_MALFORMED", `line ${number} is \`${kind}\`: only the first line is \`export\``);
    }
    if (kind === "export" && data.version !== FORM) {
      refuse("VERSION_UNKNOWN", `the file is not \`${FORM}\``);
    }
    if (kind === "end") {
      isEnded = true;
      if (data.lines !== number - 1 || data.sha256 !== digestBefore()) {
        refuse("FILE_CHANGED", "the lines are not those that the last line counts");
      }
    } else if (kind !== "export") {
      // Every organization has a line, also if nothing else of it is wrong.
      sectionOf(organizationId);
    }
    // The shape that the service answered. Without a member, a check fails.
    if (kind === "activity") readActivity(organizationId, data as unknown as Activity);
    if (kind === "receipts") readReceipts(organizationId, data);
    lines = number;
  }

  return {
    read,
    end() {
      if (!isEnded) refuse("FILE_CUT", `the file ends after line ${lines}, without its last line`);
      let activitiesWithoutReceipt = 0;
      for (const [organizationId, { expected, unsealed }] of sections) {
        activitiesWithoutReceipt += expected.size;
        if (expected.size <= unsealed) continue;
        refuse(
          "RECEIPT_MISSING",
          `${expected.size} activities of organization ${organizationId} have no receipt, such as ${[...expected.keys()][0]}, but only ${unsealed} statements were not sealed`,
        );
      }
      const organizations = sections.size;
      return {
        ...{ valid: problemCount === 0, problems, problemCount, organizations },
        ...{ ...found, activitiesWithoutReceipt },
      };
    },
  };
}

type KnownLine = {
  kind: (typeof kinds)[number];
  organizationId: string;
  data: Record<string, unknown>;
};

function isLine(value: unknown): value is KnownLine {
  const { kind, organizationId, data } = { ...(value as Partial<KnownLine> | null) };
  return (
    kinds.some((known) => known === kind) &&
    (kind === "end" || typeof organizationId === "string") &&
    typeof data === "object" &&
    data !== null
  );
}

/** The last page has nothing new. */
function isEmpty(file: unknown): boolean {
  const { segments, receipts } = { ...(file as { segments?: unknown; receipts?: unknown } | null) };
  return [segments, receipts].every((list) => Array.isArray(list) && list.length === 0);
}

/** It may have got its last votes between the page that shows it and its receipt. */
function isOpen({ status }: Expected): boolean {
  return status === "ACTIVITY_STATUS_CONSENSUS_NEEDED" || status === "ACTIVITY_STATUS_PENDING";
}

function fingerprintOf(message: string): string {
  return `sha256:${createHash("sha256").update(message).digest("hex")}`;
}

/** A token of the signer proves the key of such a stamp, and only the signer verifies tokens. */
const ATTESTED = "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256";

/** Whether the key of the first vote has stamped the request, which may name the parent, as logins do. */
function hasStamp(activity: Activity, message: string): boolean {
  try {
    const { organizationId } = JSON.parse(message);
    verifyStampedRequest({ ...activity, organizationId });
    return true;
  } catch {
    return false;
  }
}
