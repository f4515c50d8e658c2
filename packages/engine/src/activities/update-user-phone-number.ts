import * as z from "zod";
import { checkAll } from "../errors.ts";
import { PhoneNumberOrNone, UserId, VerificationToken } from "../fields.ts";
import { changesContactOfRoot } from "../people/root-quorum.ts";
import { checkProof, setContact } from "../people/verified-contacts.ts";
import { requireUser } from "../records/organization.ts";
import { defineActivity } from "../submission/define.ts";

/** Changes or removes a user's phone number. With a token, it becomes a verified one. */
export const updateUserPhoneNumber = defineActivity({
  name: "update_user_phone_number",
  tag: "Users",
  summary: "Update user phone number",
  description:
    "Change the phone number of a user, or remove it with an empty one. With a verification token of this number, it is verified. Only the root quorum can change the number of a root user.",
  policy: { resource: "USER", action: "UPDATE" },
  defaultType: "ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER",
  versions: {
    ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER: {
      intentKey: "updateUserPhoneNumberIntent",
      resultKey: "updateUserPhoneNumberResult",
      intent: z.strictObject({
        userId: UserId,
        userPhoneNumber: PhoneNumberOrNone.describe(
          "New phone number of the user in E.164 form. An empty text removes the number.",
        ).meta({ examples: ["+14155550100"] }),
        verificationToken: VerificationToken.optional(),
      }),
      result: z.strictObject({ userId: UserId }),
    },
  },
  example: { userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e", userPhoneNumber: "+14155550100" },
  needsRootQuorum: changesContactOfRoot,

  check(context, { userId, userPhoneNumber, verificationToken }) {
    const at = "parameters.userPhoneNumber";
    const set = { type: "phone", contact: userPhoneNumber, at } as const;
    checkAll(
      () => requireUser(context.document, userId),
      () => checkProof(context, verificationToken, set),
    );
  },

  execute(context, { userId, userPhoneNumber, verificationToken }) {
    const user = requireUser(context.update(), userId);
    const contact = userPhoneNumber === "" ? null : userPhoneNumber;
    setContact(user, { type: "phone", contact }, verificationToken !== undefined);
    user.updatedAtMs = context.nowMs;
    return { userId };
  },
});
