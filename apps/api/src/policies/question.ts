import { activityOfType } from "@keyhearth/engine/activities/index";
import type { ParsedInterfaces } from "@keyhearth/engine/chains/contract-interfaces";
import type { ActivityDeclaration } from "@keyhearth/engine/declare/define";
import { readIntent } from "@keyhearth/engine/declare/reading";
import { countedApprovals } from "@keyhearth/engine/policies/approvals";
import type { Question } from "@keyhearth/engine/policies/authorize";
import { type ActivityRecord, messageOf } from "@keyhearth/engine/records/activity";
import { createRecords } from "@keyhearth/engine/records/facts";
import { toBrought } from "@keyhearth/engine/records/kinds";
import { findUser } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import { parseAccepted, parseIntent, typeReadAs } from "@keyhearth/engine/submission/envelope";
import { findWanted } from "../documents/find-wanted.ts";
import { MissingRecord } from "../errors.ts";
import type { Db } from "../store/connect.ts";
import type { StoredDocument } from "../store/organizations.ts";

/** What a request asks for: the activity's declaration and its intent. */
export type ParsedRequest = { declaration: ActivityDeclaration; type: string; intent: unknown };

/** Parses the request that started an activity. */
export function parseRequest(body: string): ParsedRequest {
  const envelope = parseAccepted(body);
  const declaration = activityOfType(envelope.type);
  const type = typeReadAs(declaration, envelope);
  return { declaration, type, intent: parseIntent(declaration, envelope) };
}

/**
 * The question that the core would decide about a waiting activity, built from the host's records.
 * It only shows what could happen; it decides nothing.
 */
export async function questionAbout(
  db: Db,
  {
    stored,
    activity,
    interfaces,
    nowMs,
  }: {
    stored: StoredDocument;
    activity: ActivityRecord;
    interfaces: ParsedInterfaces;
    nowMs: number;
  },
): Promise<Question | null> {
  const { document } = stored;
  const [first] = activity.votes;
  const submitter = first && findUser(document, first.userId);
  if (!submitter) return null;
  return {
    ...(await readSubject(db, stored, parseRequest(messageOf(activity, first)), interfaces)),
    submitter,
    approvals: countedApprovals(activity, document, nowMs),
    nowMs,
  };
}

/** A question without the people in it. */
export type Subject = Omit<Question, "submitter" | "approvals" | "nowMs">;

/**
 * Reads the question from the host's records, as the core reads it from those in a message. Throws a
 * `MissingRecord` if one was deleted since this version of the document.
 */
export async function readSubject(
  db: Db,
  { organizationId, organization }: Pick<StoredDocument, "organizationId" | "organization">,
  asked: ParsedRequest,
  interfaces: ParsedInterfaces,
): Promise<Subject> {
  const { declaration, intent } = asked;
  const { document } = organization;
  // What only the execution needs may depend on the submitter. It is not read here.
  const isRead = declaration.read || declaration.namesUserBy === "code";
  const wants = (isRead && declaration.wants?.(intent, document, "")) || [];
  const found = await Promise.all(wants.map((want) => findWanted(db, organizationId, want)));
  const brought = found.flat().map(({ digest, bytes }) => toBrought(readRecord(bytes), digest));
  const records = createRecords(document, brought);
  const reading = readIntent(declaration, { document, records, interfaces }, intent);
  if ("error" in reading && reading.error.reason === "RECORD_REFUSED") {
    throw new MissingRecord("what the activity is about", reading.error);
  }
  return { ...asked, organization, decider: organization, reading };
}
