import type { OrganizationDocument, User } from "../records/organization.ts";
import { isRecoveryKey } from "../records/sessions.ts";
import { type Authenticated, onlyRecovers } from "./authenticate.ts";
import { checkLoginFeature } from "./login-features.ts";

// Recovery by mail: anyone who reads the mail of a user can register a passkey for that user.

/**
 * Root users need a feature of their organization beside the one for everybody, because anyone who
 * reads their mail can do anything there.
 */
export function checkRootRecovery(document: OrganizationDocument, userId: string) {
  if (!document.rootQuorum.userIds.includes(userId)) return;
  checkLoginFeature({ document, parent: null }, "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY");
}

/** The key in the mail recovers its own user, and stamps nothing else: no request, vote or query. */
export function assertMayStamp({
  declaration,
  intent,
  who,
}: {
  declaration: { recovers?(intent: unknown, user: User): boolean };
  intent: unknown;
  who: Authenticated;
}) {
  if (!isRecoveryKey(who.credential)) return;
  if (declaration.recovers?.(intent, who.user)) return;
  throw onlyRecovers();
}
