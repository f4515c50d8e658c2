import type { TestOrganization, TestServer } from "@keyhearth/api/testing";
import { decodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import { createInvitationProof } from "@keyhearth/crypto/tokens/invitation";
import type { InvitationMail } from "./messages/message.ts";
import { messagesOf } from "./messages.testing.ts";
import { first } from "./organization.testing.ts";
import { newPasskey, passkeyClientOf, type TestPasskey } from "./passkey.testing.ts";

// What the people around an invitation do.

/** What the outbox says about the invitations of an organization, the newest last. */
export async function mailsOf(
  { store }: Pick<TestServer, "store">,
  organizationId: string,
): Promise<InvitationMail[]> {
  const messages = await messagesOf({ store }, organizationId);
  return messages.flatMap(({ kind, content }) => (kind === "invitation" ? [content] : []));
}

/** Invites a person, and reads the mail in their place. */
export async function invite(
  { server, root, organizationId, userId }: TestOrganization,
  change: { receiverUserTags?: string[]; senderUserId?: string } = {},
): Promise<InvitationMail> {
  const { invitationIds } = await root.createInvitations({
    invitations: [
      {
        receiverUserName: "Grace",
        receiverUserEmail: "grace@example.com",
        receiverUserTags: [],
        accessType: "ACCESS_TYPE_ALL",
        senderUserId: userId,
        ...change,
      },
    ],
  });
  const mails = await mailsOf(server, organizationId);
  return first(mails.filter(({ invitationId }) => invitationId === invitationIds[0]));
}

/** The parameters by which the receiver accepts, and the client that stamps with the new passkey. */
export function acceptanceOf(
  server: TestServer,
  mail: InvitationMail,
  passkey: TestPasskey = newPasskey(),
) {
  const { organizationId, invitationId, userId } = mail;
  return {
    passkey,
    client: passkeyClientOf(server, organizationId, passkey),
    parameters: {
      invitationId,
      userId,
      tokenProof: proofOf(mail, passkey),
      authenticator: passkey.params,
    },
  };
}

/** Proves that the maker of a passkey has the token of an invitation. */
export function proofOf(
  { token, ...ids }: Pick<InvitationMail, "token" | "organizationId" | "invitationId">,
  { params }: Pick<TestPasskey, "params">,
): string {
  const { attestationObject } = params.attestation;
  const { organizationId, invitationId } = ids;
  return createInvitationProof({
    token: decodeBase64Url(token),
    organizationId,
    invitationId,
    attestationObject,
  });
}
