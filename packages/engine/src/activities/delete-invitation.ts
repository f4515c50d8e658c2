import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { notFound } from "../errors.ts";
import { InvitationId } from "../fields/schemas.ts";

/** Withdraws an invitation: its token is worth nothing from then on. */
export const deleteInvitation = defineActivity({
  name: "delete_invitation",
  tag: "Invitations",
  summary: "Delete invitation",
  description: "Withdraw an invitation that has not been accepted. Its token stops working.",
  policy: { resource: "INVITATION", action: "DELETE" },
  defaultType: "ACTIVITY_TYPE_DELETE_INVITATION",
  versions: {
    ACTIVITY_TYPE_DELETE_INVITATION: {
      intentKey: "deleteInvitationIntent",
      resultKey: "deleteInvitationResult",
      intent: z.strictObject({ invitationId: InvitationId }),
      result: z.strictObject({ invitationId: InvitationId }),
    },
  },
  example: { invitationId: "d2849397-f1eb-4bf5-80c5-748192a3b4c5" },

  check({ document: { invitations } }, { invitationId }) {
    if (invitations.some((line) => line.invitationId === invitationId)) return;
    throw notFound("parameters.invitationId", "invitation", invitationId);
  },

  execute(context, { invitationId }) {
    const draft = context.update();
    draft.invitations = draft.invitations.filter((line) => line.invitationId !== invitationId);
    return { invitationId };
  },
});
