import type { OrganizationDocument } from "../records/organization.ts";
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
