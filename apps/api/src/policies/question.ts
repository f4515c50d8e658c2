import { activityOfType } from "@keyhearth/engine/activities/index";
import { createParsedInterfaces } from "@keyhearth/engine/chains/contract-interfaces";
import type { Question } from "@keyhearth/engine/policies/authorize";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { Brought } from "@keyhearth/engine/records/facts";
import { currentBody } from "@keyhearth/engine/records/kinds";
import { findUser } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import { countedApprovals } from "@keyhearth/engine/submission/approvals";
import type { ActivityDeclaration, Want } from "@keyhearth/engine/submission/define";
import { parseEnvelope, parseIntent } from "@keyhearth/engine/submission/envelope";
import { readIntent } from "@keyhearth/engine/submission/reading";
import type { Db } from "../store/connect.ts";
import type { StoredDocument } from "../store/organizations.ts";
import { findWanted } from "../store/wanted.ts";

/** What is asked of an activity: its declaration and its intent. */
export type Asked = { declaration: ActivityDeclaration; type: string; intent: unknown };

/** What the request that started an activity asked for. */
export function askedBy(body: string): Asked {
  const envelope = parseEnvelope(body);
  const declaration = activityOfType(envelope.type);
  return { declaration, type: envelope.type, intent: parseIntent(declaration, envelope) };
}

/**
 * The question that the core would decide about an activity that waits, from what the host has: for
 * showing what could happen. Nothing is decided by it.
 */
export async function questionAbout(
  db: Db,
  { stored, activity, nowMs }: { stored: StoredDocument; activity: ActivityRecord; nowMs: number },
): Promise<Question | null> {
  const { document } = stored;
  const [first] = activity.votes;
  const submitter = first && findUser(document, first.userId);
  if (!submitter) return null;
  return {
    ...(await readAsked(db, stored, askedBy(first.message))),
    submitter,
    approvals: countedApprovals(activity, document, nowMs),
    nowMs,
  };
}

/** A question but for the people in it. */
export type Subject = Omit<Question, "submitter" | "approvals" | "nowMs">;

/** What was asked for, read from the host's records as the core reads it from those it is brought. */
export async function readAsked(
  db: Db,
  { organizationId, organization }: Pick<StoredDocument, "organizationId" | "organization">,
  asked: Asked,
): Promise<Subject> {
  const { declaration, intent } = asked;
  const { document } = organization;
  const wants: Want[] = declaration.wants?.(intent, document) ?? [];
  const found = await Promise.all(wants.map((want) => findWanted(db, organizationId, want)));
  const brought: Brought[] = found.flat().map(({ digest, bytes }) => {
    const record = readRecord(bytes);
    return { header: record.header, body: currentBody(record), digest };
  });
  const sources = { document, brought, interfaces: createParsedInterfaces() };
  return { ...asked, organization, reading: readIntent(declaration, sources, intent) };
}
