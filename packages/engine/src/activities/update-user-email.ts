import * as z from "zod";
import { checkAll } from "../errors.ts";
import { EmailOrNone, UserId, VerificationToken } from "../fields.ts";
import { changesContactOfRoot } from "../people/root-quorum.ts";
import { checkProof, setContact } from "../people/verified-contacts.ts";
import { requireUser } from "../records/organization.ts";
import { defineActivity } from "../submission/define.ts";

/** Changes or removes a user's email address. With a token, it becomes a verified one. */
export const updateUserEmail = defineActivity({
  name: "update_user_email",
  tag: "Users",
  summary: "Update user email",
  description:
    "Change the email address of a user, or remove it with an empty one. With a verification token of this address, it is verified. Only the root quorum can change the address of a root user.",
  policy: { resource: "USER", action: "UPDATE" },
  defaultType: "ACTIVITY_TYPE_UPDATE_USER_EMAIL",
  versions: {
    ACTIVITY_TYPE_UPDATE_USER_EMAIL: {
      intentKey: "updateUserEmailIntent",
      resultKey: "updateUserEmailResult",
      intent: z.strictObject({
        userId: UserId,
        userEmail: EmailOrNone.describe(
          "New email address of the user. An empty text removes the address.",
        ).meta({ examples: ["ada@example.com"] }),
        verificationToken: VerificationToken.optional(),
      }),
      result: z.strictObject({ userId: UserId }),
    },
  },
  example: { userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e", userEmail: "ada@example.com" },
  needsRootQuorum: changesContactOfRoot,

  check(context, { userId, userEmail, verificationToken }) {
    const set = { type: "email", contact: userEmail, at: "parameters.userEmail" } as const;
    checkAll(
      () => requireUser(context.document, userId),
      () => checkProof(context, verificationToken, set),
    );
  },

  execute(context, { userId, userEmail, verificationToken }) {
    const user = requireUser(context.update(), userId);
    const contact = userEmail === "" ? null : userEmail;
    setContact(user, { type: "email", contact }, verificationToken !== undefined);
    user.updatedAtMs = context.nowMs;
    return { userId };
  },
});
