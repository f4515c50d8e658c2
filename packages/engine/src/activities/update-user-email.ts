import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { EmailOrNone, UserId, VerificationToken } from "../fields/schemas.ts";
import { changesContactOfRoot } from "../people/root-quorum.ts";
import { readProof, setContact } from "../people/verified-contacts.ts";
import { requireUser } from "../records/organization.ts";

/** Changes or removes a user's email address. With a token for the key of the stamp, it is verified. */
export const updateUserEmail = defineActivity({
  name: "update_user_email",
  tag: "Users",
  summary: "Update user email",
  description:
    "Change the email address of a user, or remove it with an empty one. With a verification token of this address that names the key of the stamp, it is verified; with a token for another key, or for none, it is not. Only the root quorum can change the address of a root user.",
  policy: { resource: "USER", action: "UPDATE" },
  readsSender: true,
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
  rootQuorumOnly: changesContactOfRoot,

  check(context, { userId, userEmail, verificationToken }) {
    checkAll(
      () => requireUser(context.document, userId),
      () => readProof(context, verificationToken, asked(userEmail)),
    );
  },

  execute(context, { userId, userEmail, verificationToken }) {
    const user = requireUser(context.update(), userId);
    const contact = userEmail === "" ? null : userEmail;
    const proof = readProof(context, verificationToken, asked(userEmail));
    setContact(user, { type: "email", contact }, proof);
    user.updatedAtMs = context.nowMs;
    return { userId };
  },
});

function asked(contact: string) {
  return { type: "email", contact, at: "parameters.userEmail" } as const;
}
