import { encodeBase64Url, wipe } from "@keyhearth/crypto/encoding/bytes";
import * as z from "zod";
import type { Context } from "../declare/context.ts";
import { defineActivity } from "../declare/define.ts";
import { checkAll, checkEach, invalid } from "../errors.ts";
import {
  AccessType,
  Email,
  InvitationId,
  label,
  list,
  UserId,
  UserTagId,
} from "../fields/schemas.ts";
import {
  INVITATION_LIFETIME_MS,
  INVITATION_SALT_BYTES,
  openInvitations,
} from "../people/invitations.ts";
import { checkTags } from "../people/user-tags.ts";
import { checkLimit, LIMITS } from "../records/limits.ts";
import { findUser, requireUser } from "../records/organization.ts";

const InvitationParams = z
  .strictObject({
    receiverUserName: label("Name that the new user will have."),
    receiverUserEmail: Email.describe("Email address of the new user, to which the token is sent."),
    receiverUserTags: list(UserTagId, "Ids of the tags that the new user will have."),
    accessType: AccessType,
    senderUserId: UserId.describe("Id of the user in whose name the invitation is sent."),
  })
  .describe("A person to invite.")
  .meta({ id: "InvitationParams" });
type InvitationParams = z.output<typeof InvitationParams>;

/**
 * Invites people by email. The token in the mail is all that somebody needs to become a user, so the
 * document has only its salt, and the result only ids.
 */
export const createInvitations = defineActivity({
  name: "create_invitations",
  tag: "Invitations",
  summary: "Create invitations",
  description:
    "Invite people to join an organization. An invitation works once and within a week, and ends when the user who sent or created it is deleted. Each receiver gets an email with the token that accepts the invitation.",
  policy: { resource: "INVITATION", action: "CREATE" },
  readsSender: true,
  sendsTo: ({ invitations }) =>
    invitations.map(({ receiverUserEmail: recipient }) => ({ kind: "invitation", recipient })),
  defaultType: "ACTIVITY_TYPE_CREATE_INVITATIONS",
  versions: {
    ACTIVITY_TYPE_CREATE_INVITATIONS: {
      intentKey: "createInvitationsIntent",
      resultKey: "createInvitationsResult",
      intent: z.strictObject({ invitations: list(InvitationParams, "People to invite.") }),
      result: z.strictObject({
        invitationIds: z
          .array(InvitationId)
          .describe("Ids of the invitations, in the order of the request."),
      }),
    },
  },
  example: {
    invitations: [
      {
        receiverUserName: "Grace",
        receiverUserEmail: "grace@example.com",
        receiverUserTags: [],
        accessType: "ACCESS_TYPE_ALL",
        senderUserId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
      },
    ],
  },

  check({ document, nowMs }, { invitations }) {
    const receivers = new Set<string>();
    checkEach(invitations, ({ receiverUserEmail, receiverUserTags, senderUserId }, index) => {
      const field = `parameters.invitations[${index}]`;
      checkAll(
        () => {
          const isRepeated = receivers.has(receiverUserEmail.toLowerCase());
          receivers.add(receiverUserEmail.toLowerCase());
          if (!isRepeated) return;
          const message = `\`${receiverUserEmail}\` is invited twice by this request`;
          throw invalid(`${field}.receiverUserEmail`, message);
        },
        () => checkTags(receiverUserTags, document, `${field}.receiverUserTags`),
        () => requireUser(document, senderUserId, `${field}.senderUserId`),
      );
    });
    const total = openInvitations(document, nowMs).length + invitations.length;
    const counted = { noun: "invitations", field: "parameters.invitations" };
    checkLimit(total, LIMITS.invitations, counted);
  },

  execute(context, { invitations }) {
    const draft = context.update();
    // Those that can no longer be accepted make room.
    draft.invitations = openInvitations(draft, context.nowMs);
    return { invitationIds: invitations.map((params, index) => invite(context, params, index)) };
  },
});

function invite(context: Context, params: InvitationParams, index: number): string {
  const { document, organizationId, nowMs } = context;
  const invitationId = context.newId(`invitation/${index}`);
  const userId = context.newId(`invitation/${index}/user`);
  const tokenSalt = encodeBase64Url(context.random(INVITATION_SALT_BYTES));
  context.update().invitations.push({
    ...params,
    invitationId,
    userId,
    receiverUserTags: [...new Set(params.receiverUserTags)],
    creatorUserId: context.user.userId,
    tokenSalt,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  });
  const token = context.tokens.ofInvitation({ invitationId, salt: tokenSalt });
  context.send({
    // The host looks by it whether the invitation is still open before it has the mail sent.
    messageId: invitationId,
    kind: "invitation",
    recipient: params.receiverUserEmail,
    content: {
      organizationId,
      organizationName: document.organizationName,
      invitationId,
      receiverUserName: params.receiverUserName,
      senderUserName: findUser(document, params.senderUserId)?.userName ?? "",
      userId,
      token: encodeBase64Url(token),
    },
    createdAtMs: nowMs,
    expiresAtMs: nowMs + INVITATION_LIFETIME_MS,
  });
  wipe(token);
  return invitationId;
}
