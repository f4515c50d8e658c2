import { checkEach, invalid } from "../errors.ts";
import type { OrganizationDocument, Quorum } from "../records/organization.ts";

/**
 * An email address or phone number may be a way to log in as the user. Only the root quorum may change
 * those of its members, or a policy about users could make someone a root user.
 */
export function changesContactOfRoot(
  intent: {
    userId: string;
    userEmail?: string | undefined;
    userPhoneNumber?: string | undefined;
  },
  { rootQuorum }: OrganizationDocument,
): boolean {
  const { userId, userEmail, userPhoneNumber } = intent;
  const changes = userEmail !== undefined || userPhoneNumber !== undefined;
  return changes && rootQuorum.userIds.includes(userId);
}

export function checkQuorum({ threshold, userIds }: Quorum, known: string[], field: string) {
  if (threshold < 1) {
    throw invalid(field, "quorum threshold must be non-zero integer", "QUORUM_INVALID");
  }
  checkEach(userIds, (userId, index) => {
    if (known.includes(userId)) return;
    const message = `quorum users missing: user \`${userId}\` is not in the organization`;
    throw invalid(`parameters.userIds[${index}]`, message, "QUORUM_INVALID");
  });
  if (threshold > userIds.length) {
    throw invalid(
      field,
      `\`${field}\` is ${threshold}, but there are only ${userIds.length} root users`,
      "QUORUM_INVALID",
    );
  }
}
