import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { PhoneNumberOrNone, UserId, VerificationToken } from "../fields/schemas.ts";
import { changesContactOfRoot } from "../people/root-quorum.ts";
import { readProof, setContact } from "../people/verified-contacts.ts";
import { requireUser } from "../records/organization.ts";

/** Changes or removes a user's phone number. With a token for the key of the stamp, it is verified. */
export const updateUserPhoneNumber = defineActivity({
  name: "update_user_phone_number",
  tag: "Users",
  summary: "Update user phone number",
  description:
    "Change the phone number of a user, or remove it with an empty one. With a verification token of this number that names the key of the stamp, it is verified; with a token for another key, or for none, it is not. Only the root quorum can change the number of a root user.",
  policy: { resource: "USER", action: "UPDATE" },
  readsSender: true,
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
  rootQuorumOnly: changesContactOfRoot,

  check(context, { userId, userPhoneNumber, verificationToken }) {
    checkAll(
      () => requireUser(context.document, userId),
      () => readProof(context, verificationToken, asked(userPhoneNumber)),
    );
  },

  execute(context, { userId, userPhoneNumber, verificationToken }) {
    const user = requireUser(context.update(), userId);
    const contact = userPhoneNumber === "" ? null : userPhoneNumber;
    const proof = readProof(context, verificationToken, asked(userPhoneNumber));
    setContact(user, { type: "phone", contact }, proof);
    user.updatedAtMs = context.nowMs;
    return { userId };
  },
});

function asked(contact: string) {
  return { type: "phone", contact, at: "parameters.userPhoneNumber" } as const;
}
