import { wipe } from "@keyhearth/crypto/encoding/bytes";
import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll, invalid, unauthenticated } from "../errors.ts";
import { AuthenticatorParams, AuthenticatorParamsV2 } from "../fields/credentials.ts";
import { missingText, unshown } from "../fields/parse.ts";
import { InvitationId, UserId } from "../fields/schemas.ts";
import { checkAuthenticator, fromBrowser } from "../people/authenticators.ts";
import { checkTokenProof, findOpenInvitation } from "../people/invitations.ts";
import { keyHolderWant, takenPublicKeys } from "../people/taken-keys.ts";
import { createUser } from "../people/users.ts";
import { checkLimit, LIMITS } from "../records/limits.ts";
import { findUser } from "../records/organization.ts";

const userId = UserId.describe(
  "The id that the new user will have, from the invitation's message.",
);

/** A client could send the token itself by mistake, so no message shows the value. */
const tokenProof = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]{43}$/,
    "expected an HMAC-SHA-256 in base64url without padding, which has 43 characters; the token of the invitation must never be sent",
  )
  .describe(
    "Proof that you have the token in the invitation's message, which must never be sent itself: HMAC-SHA-256 in base64url without padding, with the token's 16 bytes as the key, over the text `keyhearth.invitation.v1|<organizationId>|<invitationId>|<attestationObject>`. `attestationObject` is the text in this request.",
  )
  .meta({ examples: ["-Lo_MwrgDXhNw84yd-uLWNa4XdNfRkp-PVwQ5u17fWU"] })
  .register(unshown, {})
  .register(missingText, {
    text: "the token of the invitation must never be sent, so the request needs a proof that you have it",
  });

const latest = z.strictObject({
  invitationId: InvitationId,
  userId,
  tokenProof,
  authenticator: AuthenticatorParamsV2.describe(
    "The passkey that stamps this request, registered with a random challenge.",
  ),
});

const field = "parameters.invitationId";
const passkeyAt = "parameters.authenticator";

const result = z.strictObject({ invitationId: InvitationId, userId: UserId });

/**
 * Makes the receiver of an invitation a user. The token is the permission. It stays with the receiver: the
 * request has a proof of it for the passkey that it registers, which counts for no other one. The passkey
 * must stamp the request, so nobody registers a passkey that they do not hold.
 */
export const acceptInvitation = defineActivity({
  name: "accept_invitation",
  tag: "Invitations",
  summary: "Accept invitation",
  description:
    "Become a user of the organization that sent an invitation. Register a passkey with a random challenge, prove with `tokenProof` that you have the token of the invitation, and stamp this request with that passkey. The new user has the name, email address and tags of the invitation, which works once.",
  policy: { resource: "INVITATION", action: "ACCEPT" },
  sentBy: ["any user", "newcomer"],
  defaultType: "ACTIVITY_TYPE_ACCEPT_INVITATION_V2",
  versions: {
    ACTIVITY_TYPE_ACCEPT_INVITATION: {
      intentKey: "acceptInvitationIntent",
      resultKey: "acceptInvitationResult",
      intent: z.strictObject({
        invitationId: InvitationId,
        userId,
        tokenProof,
        authenticator: AuthenticatorParams.describe(
          "The passkey that stamps this request, registered with a random challenge.",
        ),
      }),
      result,
    },
    ACTIVITY_TYPE_ACCEPT_INVITATION_V2: {
      intentKey: "acceptInvitationIntentV2",
      resultKey: "acceptInvitationResult",
      intent: latest,
      result,
    },
  },
  example: {
    invitationId: "d2849397-f1eb-4bf5-80c5-748192a3b4c5",
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
    tokenProof: "-Lo_MwrgDXhNw84yd-uLWNa4XdNfRkp-PVwQ5u17fWU",
    authenticator: {
      authenticatorName: "phone",
      challenge: "R2oC4gn_v5AJQerbALdvsg",
      attestation: {
        credentialId: "6kHtPPqRTKaLms_L0xFKpw",
        clientDataJson: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
        attestationObject: "o2NmbXRkbm9uZWdhdHRTdG10oA",
        transports: ["AUTHENTICATOR_TRANSPORT_HYBRID"],
      },
    },
  },
  upgrade: {
    ACTIVITY_TYPE_ACCEPT_INVITATION: ({ authenticator, ...rest }) => ({
      ...rest,
      authenticator: fromBrowser(authenticator),
    }),
  },
  registersPasskeys: () => true,
  wants: ({ authenticator }) => [keyHolderWant({ authenticators: [authenticator] })],

  newUser({ document, nowMs, registrations, newId }, { invitationId, authenticator }) {
    const invitation = findOpenInvitation(document, { invitationId, nowMs, field });
    // Names the field if something is wrong with it.
    registrations.read(authenticator, passkeyAt);
    const { user } = createUser(
      {
        userName: invitation.receiverUserName,
        userEmail: invitation.receiverUserEmail,
        userTags: invitation.receiverUserTags,
        apiKeys: [],
        authenticators: [authenticator],
      },
      { userId: invitation.userId, sessionEpoch: 0, newId, nowMs, registrations, asker: "nobody" },
    );
    return user;
  },

  check(context, { invitationId, userId, tokenProof, authenticator }) {
    const { document, organizationId, records, registrations, user, nowMs } = context;
    const invitation = findOpenInvitation(document, { invitationId, nowMs, field });
    const { tokenSalt } = invitation;
    if (tokenSalt === null) {
      throw invalid(
        field,
        "`parameters.invitationId` is an invitation that an earlier version of the service sent, whose token proves nothing: ask for another invitation",
      );
    }
    const token = context.tokens.ofInvitation({ invitationId, salt: tokenSalt });
    try {
      checkTokenProof(invitation, { tokenProof, authenticator }, { token, organizationId });
    } finally {
      wipe(token);
    }
    const taken = takenPublicKeys({ document, records, nowMs });
    checkAll(
      () => {
        if (userId === invitation.userId) return;
        const message = "`parameters.userId` is not the id in the message of this invitation";
        throw invalid("parameters.userId", message);
      },
      () => {
        const lost = invitation.receiverUserTags.find(
          (tagId) => !document.userTags.some((tag) => tag.tagId === tagId),
        );
        if (lost === undefined) return;
        const message = `user tag not found: \`${lost}\`, which the invitation gives, was deleted; ask for another invitation`;
        throw invalid(field, message, "NOT_FOUND");
      },
      () => checkAuthenticator(authenticator, passkeyAt, { taken, registrations }),
      () => checkLimit(document.users.length + 1, LIMITS.users, { noun: "users", field }),
    );
    // Otherwise the stamp is by a passkey that another user has.
    if (user.userId !== invitation.userId || findUser(document, user.userId)) {
      const message = "the request must be stamped with the passkey that it registers";
      throw unauthenticated("STAMP_INVALID", message);
    }
  },

  execute(context, { invitationId }) {
    const { user } = context;
    const draft = context.update();
    draft.users.push(structuredClone(user));
    draft.invitations = draft.invitations.filter((line) => line.invitationId !== invitationId);
    return { invitationId, userId: user.userId };
  },
});
