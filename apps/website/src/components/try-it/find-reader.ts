import type { Stamper } from "@keyhearth/sdk";
import { connect } from "./sending.ts";

type Question = {
  service: string;
  stamper: Stamper;
  /** Empty if the reader named none. */
  organizationId: string;
};

export type Reader = {
  organizationId: string;
  organizationName: string;
  userId: string;
  username: string;
};

/**
 * Who the service takes the credential's owner for. Without an organization it asks in the service's first one, which also
 * finds a user of its sub-organizations.
 */
export async function findReader(
  question: Question,
): Promise<Reader | { error: unknown; askedIn: string }> {
  let askedIn = question.organizationId;
  try {
    askedIn ||= await firstOrganization(question.service);
    const connection = connect({ ...question, organizationId: askedIn });
    const path = "/public/v1/query/whoami";
    const answer = await connection.query<Reader>(path, {});
    const { organizationId, organizationName, userId, username } = answer;
    return { organizationId, organizationName, userId, username };
  } catch (error) {
    return { error, askedIn };
  }
}

/** Found where a service says what it is. Empty if nothing answers there: the request then says so. */
async function firstOrganization(service: string): Promise<string> {
  try {
    const answer = await fetch(`${service}/.well-known/keyhearth.json`);
    const { rootOrganizationId }: { rootOrganizationId?: unknown } = await answer.json();
    return typeof rootOrganizationId === "string" ? rootOrganizationId : NONE;
  } catch {
    return NONE;
  }
}

/** The form of an id, of no organization. */
const NONE = "00000000-0000-0000-0000-000000000000";
