import { type ActivityStatement, type SegmentHead, verifyReceipts } from "@keyhearth/sdk/crypto";
import { compare, type Expected, type Refuse, readActivity } from "./exported-activity.ts";
import { keysOfUser, sameForm } from "./exported-keys.ts";
import { FORM, kinds, type ReadLine } from "./organization-file.ts";
import { count, plain } from "./output.ts";
import { countLeaves } from "./receipts.ts";

/** How many problems are listed. A file that is wrong from its beginning has one in each line. */
const MOST_LISTED = 100;

type Problem = { readonly code: string; readonly message: string };

/** What has been read of one organization. */
type Section = {
  readonly organizationId: string;
  /** The place of its last line in the order of lines. */
  step: number;
  readonly expected: Map<string, Expected>;
  /** The keys of its users and sessions. */
  readonly keys: Set<string>;
  /** Activities are listed newest first, so what has made the key of a vote comes after it. */
  readonly laterVotes: {
    readonly id: string;
    readonly place: number;
    readonly publicKey: string;
  }[];
  /** The newest statement about each activity. */
  readonly stated: Map<string, ActivityStatement>;
  last: SegmentHead | null;
  /** How many receipts the segments have, and how many of them the file has. */
  leaves: number;
  receipts: number;
  unsealed: number;
};

/** A list of problems with a bound, which counts all. */
function createList() {
  const list: Problem[] = [];
  let total = 0;
  const add: Refuse = (code, message) => {
    total += 1;
    if (list.length < MOST_LISTED) list.push({ code, message });
  };
  return { add, list, total: () => total };
}

export type Verdict = "valid" | "not valid" | "not proven";

export type FileReport = ReturnType<ReturnType<typeof createCheck>["end"]>;

/** Checks the lines of a file, one at a time and in their order. It keeps no more than one organization in memory. */
export function createCheck(key: string) {
  const [problems, unproven] = [createList(), createList()];
  const [refuse, leave] = [problems.add, unproven.add];
  const read = new Set<string>();
  const lastSegments: ({ organizationId: string } & SegmentHead)[] = [];
  const found = {
    ...{ activities: 0, receipts: 0, activitiesWithoutReceipt: 0, activitiesNotShown: 0 },
    ...{ receiptsNotShown: 0, attestedStamps: 0, votesByUnknownKeys: 0 },
  };
  let section: Section | undefined;
  let exported: { organizationId: string; withSubOrganizations: unknown } | undefined;
  let lines = 0;
  let isEnded = false;

  /** The section of the line, if the line is in its place. */
  function place(line: KnownLine, number: number): Section | undefined {
    const { kind, organizationId } = line;
    if (kind === "organization" && !read.has(organizationId)) {
      if (section) finish(section);
      read.add(organizationId);
      if (exported?.organizationId !== organizationId && !exported?.withSubOrganizations) {
        refuse("OTHER_ORGANIZATION", `${organizationId} is not the organization of the file`);
      }
      section = newSection(organizationId);
      return section;
    }
    const step = STEPS[kind] ?? 1;
    if (section?.organizationId === organizationId && kind !== "organization") {
      if (step >= section.step) {
        section.step = step;
        return section;
      }
    }
    refuse("LINES_REORDERED", `line ${number} (\`${kind}\`) is not in its place`);
    return undefined;
  }

  function addActivity(into: Section, data: Record<string, unknown>) {
    const { organizationId, expected, keys, laterVotes } = into;
    found.activities += 1;
    const id = plain(String(data.id));
    const activity = readActivity(data, refuse);
    if (!activity) {
      refuse("ACTIVITY_MALFORMED", `activity ${id} does not have the form of the API`);
      return;
    }
    if (data.organizationId !== organizationId) {
      refuse("OTHER_ORGANIZATION", `activity ${id} is of another organization`);
    }
    if (expected.has(id)) refuse("ACTIVITY_REPEATED", `activity ${id} appears twice`);
    if (activity.attestedStamps > 0) found.attestedStamps += 1;
    expected.set(id, activity.expected);
    for (const key of activity.registered) keys.add(key);
    for (const vote of activity.laterVotes) laterVotes.push({ id, ...vote });
  }

  function addReceipts(into: Section, data: { receiptsFile?: unknown; unsealed?: unknown }) {
    const { organizationId } = into;
    const { receiptsFile: page, unsealed } = data;
    into.unsealed = Number.isSafeInteger(unsealed) ? Number(unsealed) : 0;
    if (isEmpty(page)) return;
    const report = verifyReceipts(page, key, { from: into.last?.digest ?? null });
    for (const { code, message } of report.problems) {
      refuse(code, `${message} (organization ${organizationId})`);
    }
    if (report.organizationId !== null && report.organizationId !== organizationId) {
      refuse("OTHER_ORGANIZATION", `the receipts of ${organizationId} are of another organization`);
    }
    into.last = report.lastSegment ?? into.last;
    into.receipts += report.receipts;
    // What was verified is of the form.
    if (report.valid)
      into.leaves += countLeaves((page as { segments: { payload: string }[] }).segments);
    for (const statement of report.statements) addStatement(into, statement);
  }

  function addStatement({ stated }: Section, statement: ActivityStatement) {
    const { activityId, activityVersion } = statement;
    const known = stated.get(activityId);
    if (known?.activityVersion === activityVersion) {
      refuse("STATEMENTS_CONFLICT", `activity ${activityId} has two receipts of one version`);
    }
    if ((known?.activityVersion ?? 0) < activityVersion) stated.set(activityId, statement);
  }

  function finish(done: Section) {
    const { organizationId, expected, stated, last } = done;
    found.receipts += done.receipts;
    if (last) {
      if (lastSegments.length < MOST_LISTED) lastSegments.push({ organizationId, ...last });
    } else {
      refuse(
        "ORGANIZATION_WITHOUT_RECEIPTS",
        `organization ${organizationId} has no receipt, not even that of its founding: export again in a minute if it is new`,
      );
    }
    finishReceipts(done);
    const without: string[] = [];
    for (const [id, each] of expected) {
      const statement = stated.get(id);
      if (statement) compare(each, statement, { refuse, leave });
      else without.push(id);
    }
    for (const id of stated.keys()) if (!expected.has(id)) found.activitiesNotShown += 1;
    finishWithout(done, without);
    finishVotes(done);
  }

  /** Anyone who hands on the file can have made up such a vote. A user or a session that is gone may have given it, too. */
  function finishVotes({ keys, laterVotes }: Section) {
    for (const { id, place, publicKey } of laterVotes) {
      if (keys.has(sameForm(publicKey))) continue;
      found.votesByUnknownKeys += 1;
      const text = `vote ${place + 1} on activity ${id} is by a key that this file does not know`;
      leave("VOTE_KEY_UNKNOWN", text);
    }
  }

  /** A hash in place of a statement can stand for an earlier version of an activity. Any other hides one. */
  function finishReceipts({ organizationId, stated, leaves, receipts, unsealed }: Section) {
    const versions = [...stated.values()].reduce((sum, each) => sum + each.activityVersion, 0);
    const hidden = leaves - Math.min(versions, receipts);
    if (hidden <= 0) return;
    found.receiptsNotShown += hidden;
    const text = `${count(hidden, "receipt")} of organization ${organizationId} ${hidden === 1 ? "is" : "are"} not shown`;
    // The statement of an earlier version is gone as soon as there is a later one, which is sealed some seconds after.
    if (receipts === leaves && hidden <= unsealed) leave("RECEIPTS_NOT_SHOWN", text);
    else refuse("RECEIPTS_NOT_SHOWN", text);
  }

  function finishWithout({ organizationId, unsealed }: Section, ids: readonly string[]) {
    found.activitiesWithoutReceipt += ids.length;
    if (ids.length > unsealed) {
      refuse(
        "RECEIPT_MISSING",
        `${count(ids.length, "activity", "activities")} of organization ${organizationId} have no receipt, such as ${ids[0]}, but only ${unsealed} statements were not sealed`,
      );
      return;
    }
    for (const id of ids) leave("ACTIVITY_WITHOUT_RECEIPT", `activity ${id} has no receipt yet`);
  }

  function readKnown(line: KnownLine, { number, digestBefore }: ReadLine) {
    const { kind, organizationId, data } = line;
    if (isEnded) refuse("LINE_AFTER_END", `line ${number} follows the end`);
    if ((number === 1) !== (kind === "export")) {
      refuse("LINE_MALFORMED", `line ${number} is \`${kind}\`: only the first line is \`export\``);
    }
    if (kind === "export") {
      exported ??= { organizationId, withSubOrganizations: data.withSubOrganizations === true };
      if (data.version !== FORM) refuse("VERSION_UNKNOWN", `the file is not \`${FORM}\``);
    } else if (kind === "end") {
      isEnded = true;
      if (data.lines !== number - 1 || data.sha256 !== digestBefore()) {
        refuse("FILE_CHANGED", "the lines are not those that the last line counts");
      }
    } else {
      const into = place(line, number);
      if (into && kind === "user") for (const each of keysOfUser(data)) into.keys.add(each);
      if (into && kind === "activity") addActivity(into, data);
      if (into && kind === "receipts") addReceipts(into, data);
    }
  }

  return {
    read(line: ReadLine) {
      const { number, value } = line;
      if (isLine(value)) readKnown(value, line);
      else refuse("LINE_MALFORMED", `line ${number} has an unknown form`);
      lines = number;
    },
    end() {
      if (!isEnded) refuse("FILE_CUT", `the file ends after line ${lines}, without its last line`);
      if (section) finish(section);
      if (exported && !read.has(exported.organizationId)) {
        refuse(
          "ORGANIZATION_MISSING",
          `organization ${exported.organizationId} is not in its own file`,
        );
      }
      const [problemCount, unprovenCount] = [problems.total(), unproven.total()];
      const verdict: Verdict =
        problemCount > 0 ? "not valid" : unprovenCount > 0 ? "not proven" : "valid";
      return {
        ...{ valid: verdict === "valid", verdict, problems: problems.list, problemCount },
        ...{ unproven: unproven.list, unprovenCount, organizations: read.size },
        ...{ ...found, lastSegments },
      };
    },
  };
}

/** The order of the lines of an organization: its records, its activities, and their receipts. */
const STEPS: Partial<Record<KnownLine["kind"], number>> = { activity: 2, receipts: 3 };

function newSection(organizationId: string): Section {
  return {
    ...{ organizationId, step: 0, expected: new Map(), stated: new Map(), last: null },
    ...{ keys: new Set(), laterVotes: [] },
    ...{ leaves: 0, receipts: 0, unsealed: 0 },
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
