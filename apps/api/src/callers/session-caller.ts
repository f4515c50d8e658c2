import { verifyReadOnlySession } from "@keyhearth/crypto/tokens/read-only-session";
import type { ReadOnlySession } from "@keyhearth/crypto/tokens/session-token";
import { unauthenticated } from "@keyhearth/engine/errors";
import { findUser } from "@keyhearth/engine/records/organization";
import type { Host } from "../host/host.ts";
import type { StoredDocument } from "../store/organizations.ts";
import type { Caller } from "./caller.ts";
import { findCurrent } from "./current-document.ts";

const RENEW = "get another one from create_read_only_session, or stamp the request";

/**
 * The user of a read-only session. The signer signed it for one user of one organization. It ends with
 * its time, with the user, and with the user's session epoch.
 */
export async function findSessionCaller(
  host: Host,
  asked: StoredDocument,
  token: string,
  { findsSubOrganization }: { findsSubOrganization: boolean },
): Promise<Caller> {
  const session = await readSession(host, token);
  const { organizationId, userId, sessionEpoch } = session;
  const home =
    organizationId === asked.organizationId ? asked : await findCurrent(host, organizationId);
  const user = home && findUser(home.document, userId);
  if (!user || user.sessionEpoch !== sessionEpoch || home.document.deletedAtMs !== null) {
    throw unauthenticated(
      "CREDENTIAL_NOT_FOUND",
      `the read-only session in \`X-Session\` was ended: ${RENEW}`,
    );
  }
  const subject = subjectOf(asked, home, findsSubOrganization);
  if (subject) return { subject, caller: home, user };
  throw unauthenticated(
    "CREDENTIAL_NOT_FOUND",
    `the read-only session in \`X-Session\` belongs to another organization, not to organizationId=${asked.organizationId}`,
  );
}

/**
 * Whether a user of the organization, or of its parent, has the session. It decides only who gets a
 * place when many requests are under way.
 */
export async function isGenuineSession(
  host: Host,
  organizationId: string,
  token: string,
): Promise<boolean> {
  try {
    // Before anything is looked up.
    await readSession(host, token);
    const asked = await findCurrent(host, organizationId);
    if (!asked) return false;
    await findSessionCaller(host, asked, token, { findsSubOrganization: false });
    return true;
  } catch {
    return false;
  }
}

async function readSession(host: Host, token: string): Promise<ReadOnlySession> {
  const session = verifyReadOnlySession(token, await host.sessionPublicKey());
  if (!session) {
    throw unauthenticated(
      "STAMP_INVALID",
      `\`X-Session\` is not a read-only session of this service: ${RENEW}`,
    );
  }
  if (session.expiresAtMs > host.now()) return session;
  const expired = new Date(session.expiresAtMs).toISOString();
  throw unauthenticated(
    "CREDENTIAL_EXPIRED",
    `the read-only session in \`X-Session\` expired at ${expired}: ${RENEW}`,
  );
}

/** Users read their own organization and its sub-organizations. */
function subjectOf(
  asked: StoredDocument,
  home: StoredDocument,
  findsSubOrganization: boolean,
): StoredDocument | null {
  const isOwn = asked.organizationId === home.organizationId;
  if (isOwn || asked.document.parentOrganizationId === home.organizationId) return asked;
  const isParent = home.document.parentOrganizationId === asked.organizationId;
  return isParent && findsSubOrganization ? home : null;
}
