import type { Core } from "../core/core.ts";
import type { Answer, Request } from "../core/protocol.ts";
import { markOf, markOfFounded } from "../core/tickets.ts";
import { recordRefused } from "../errors.ts";
import type { VerifiedRecord } from "../records/held-records.ts";
import { isOfType } from "../records/kinds.ts";
import type { FoundedLine, OrganizationDocument } from "../records/organization.ts";
import type { RecordHeader } from "../records/record.ts";
import { openResult } from "../submission/secret-result.ts";

/**
 * The host says that it has committed a proposal. Nothing else moves a mark of a document (decision 2). The core
 * cannot see commits: a host that confirms what it did not commit has to serve it from then on.
 */
export function confirm(core: Core, request: Extract<Request, { call: "confirm" }>): Answer {
  if ("ticket" in request) {
    core.marks.move(core.tickets.close(request.ticket));
    return { kind: "confirmed" };
  }
  const records = request.attachments.map((bytes) => core.held.add(bytes));
  return confirmRecords(core, records);
}

/**
 * Moves the marks to the documents that no other document here follows. The others lead from the
 * proposal of an activity to the mark, so that its secret result can be released.
 */
function confirmRecords(core: Core, records: VerifiedRecord[]): Answer {
  const documents = records.filter(isOfType("organization"));
  const activities = records.filter(isOfType("activity"));
  if (documents.length + activities.length !== records.length || activities.length > 1) {
    throw recordRefused("only documents are confirmed, with one activity to release its result");
  }
  const followed = new Set(documents.map(({ body }) => body.previousDigest));
  const newest = documents.filter(({ digest }) => !followed.has(digest));
  const founded = documents
    .flatMap(({ body }) => body.founds ?? [])
    .filter(({ organizationId }) => !core.marks.knows(organizationId));
  for (const document of newest) assertMayBegin(core, document, founded);
  // Opened before the marks move, so that a call that is refused changes nothing, and shown after that.
  const [activity] = activities;
  const confirmed = new Set(documents.map(({ digest }) => digest));
  const released = activity && {
    result: openResult(core, activity.header.organizationId, activity.body, confirmed),
  };
  core.marks.move([
    ...newest.map((document) => markOf(document, document.body)),
    ...founded.map(markOfFounded),
  ]);
  return { kind: "confirmed", ...released };
}

/**
 * What votes decided is in force by the document of the same proposal. The first document of a sub-organization is
 * another one, so a host could keep it until the activity is rejected. If the marks began again after it was made,
 * nothing tells the two apart.
 */
function assertMayBegin(
  { marks }: Core,
  { header, digest, body }: { header: RecordHeader; digest: string; body: OrganizationDocument },
  founded: FoundedLine[],
) {
  if (!body.isVoted || header.version > 1 || marks.knows(header.organizationId)) return;
  if (founded.some((line) => line.digest === digest)) return;
  if (marks.isFromBefore(body.createdAtMs)) return;
  throw recordRefused(
    "the first document of a sub-organization that votes decided is confirmed with the parent's document that lists it",
  );
}
